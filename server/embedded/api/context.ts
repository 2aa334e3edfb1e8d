import type { Clock, Ids, Log } from '@/server/platform';
import type { Registry } from '../kinds/registry';
import type { Resource } from '../kinds/resource';
import type { ObservedRequest, RequestInterceptor } from '../request-interceptor';
import type { Caller } from '../rights/caller';
import type { Attempt, Rights } from '../rights/rights';
import type { Tokens } from '../rights/tokens';
import type { Store } from '../storage/store';
import { forbidden } from './failures';

/** What every request stands on. */
export interface ApiContext {
  readonly store: Store;
  readonly registry: Registry;
  readonly rights: Rights;
  readonly tokens: Tokens;
  readonly interference: RequestInterceptor | undefined;
  /** Ends each watch that is open, and each log that is followed. */
  readonly watches: Set<() => void>;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
}

/** One request as it comes by HTTP or from this process. */
export interface Call {
  readonly caller: Caller;
  readonly warn: (text: string) => void;
  /** Name of the program that asks, which stands for the manager of fields where none is named. */
  readonly agent: string;
  /** Told when a patch made the object. */
  readonly created?: () => void;
}

/** What a request is about. */
export interface Target {
  readonly resource: Resource;
  readonly namespace?: string;
  readonly name?: string;
  readonly subresource?: string;
}

export interface WriteFlags {
  readonly dryRun: boolean;
  readonly fieldValidation: 'Ignore' | 'Warn' | 'Strict';
  /** Who sets the fields; empty where nobody is named. */
  readonly fieldManager: string;
  /** Fields of others are taken; only an apply may say so. */
  readonly force?: boolean;
}

/** The request as whoever interferes looks at it. */
export function toObservedRequest(verb: string, { resource, namespace, name, subresource }: Target): ObservedRequest {
  return { verb, kind: resource.kind, namespace, name, subresource };
}

const OF_MANY = ['list', 'watch', 'deletecollection'];

/** Refuses who may not do it. */
export function authorise({ rights }: ApiContext, { caller }: Call, verb: string, target: Target): void {
  const { resource, subresource } = target;
  // The name of what is not there yet is nobody's business: rights cannot speak of it.
  const name = verb === 'create' && subresource === undefined ? '' : (target.name ?? '');
  // As an API server has it, a namespace lies in itself.
  const isNamespace = resource.storage === 'namespaces' && name !== '' && !OF_MANY.includes(verb);
  const namespace = isNamespace ? name : target.namespace;
  const attempt: Attempt = {
    verb,
    group: resource.group,
    resource: resource.plural,
    ...(subresource ? { subresource } : {}),
    ...(namespace ? { namespace } : {}),
    name,
  };
  if (rights.reasonFor(caller, attempt) !== undefined) return;
  throw forbidden(resource, name, refusal(caller, attempt));
}

/** The sentence that says who may not do what where. */
export function refusal(caller: Caller, { verb, group = '', resource = '', subresource, namespace }: Attempt): string {
  const what = subresource ? `${resource}/${subresource}` : resource;
  const where = namespace ? `in the namespace "${namespace}"` : 'at the cluster scope';
  return `User "${caller.user}" cannot ${verb} resource "${what}" in API group "${group}" ${where}`;
}
