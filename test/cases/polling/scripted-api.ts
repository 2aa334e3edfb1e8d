import type { KubeObject, ObjectAddress } from '@/lib/kube/object';
import { groupOf } from '@/lib/kube/object';
import type { CollectionAddress } from '@/server/kube';
import { KubeApiError } from '@/server/kube';
import type { ApiReader, Page, PageRequest } from '@/server/status/cluster/api-reader';
import type { ApiErrorDefinition } from './schema';

/** What the world holds at one moment. */
export interface World {
  readonly objects: readonly KubeObject[];
  readonly errors: readonly ApiErrorDefinition[];
}

export interface ScriptedCall {
  readonly verb: 'LIST' | 'GET';
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  /** Name, limit, continue and selector, as far as the call has them. */
  readonly rest: string;
}

/** An API server that plays a script and writes its calls down. Like any server it never hands out one object twice. */
export class ScriptedApi implements ApiReader {
  readonly #world: () => World;
  readonly #onCall: (call: ScriptedCall) => void;
  readonly #expireDeadline: () => void;

  constructor(world: () => World, onCall: (call: ScriptedCall) => void, expireDeadline: () => void = () => undefined) {
    this.#world = world;
    this.#onCall = onCall;
    this.#expireDeadline = expireDeadline;
  }

  async get(at: ObjectAddress, signal: AbortSignal): Promise<KubeObject> {
    this.#onCall({ verb: 'GET', apiVersion: at.apiVersion, kind: at.kind, namespace: at.namespace ?? '*', rest: ` ${at.name}` });
    this.#fail('get', at, signal, { name: at.name });
    const found = this.#collection(at).find((object) => object.metadata.name === at.name);
    if (found === undefined) throw new KubeApiError({ code: 404, reason: 'NotFound', message: `${at.kind} "${at.name}" not found` });
    return structuredClone(found);
  }

  async listPage(of: CollectionAddress, request: PageRequest): Promise<Page> {
    const { limit, labelSelector, signal } = request;
    const rest = [
      limit === undefined ? '' : ` limit=${limit}`,
      request.continue === undefined ? '' : ` continue=${request.continue}`,
      labelSelector === undefined ? '' : ` selector=${labelSelector}`,
    ].join('');
    this.#onCall({ verb: 'LIST', apiVersion: of.apiVersion, kind: of.kind, namespace: of.namespace ?? '*', rest });
    this.#fail('list', of, signal, { continued: request.continue !== undefined });
    const items = this.#collection(of).filter((object) => matchesSelector(object.metadata.labels ?? {}, labelSelector ?? ''));
    const from = Number(request.continue ?? 0);
    const to = from + (limit ?? items.length);
    const page = structuredClone(items.slice(from, to));
    return to < items.length ? { items: page, continue: String(to) } : { items: page };
  }

  #collection(of: CollectionAddress): readonly KubeObject[] {
    const text = (object: KubeObject) => `${object.metadata.namespace ?? ''}\u0000${object.metadata.name ?? ''}`;
    return this.#world()
      .objects.filter((object) => object.kind === of.kind && groupOf(object.apiVersion) === groupOf(of.apiVersion))
      .filter((object) => of.namespace === undefined || object.metadata.namespace === of.namespace)
      .sort((left, right) => (text(left) < text(right) ? -1 : 1));
  }

  #fail(
    verb: 'list' | 'get',
    of: CollectionAddress,
    signal: AbortSignal,
    call: { readonly name?: string; readonly continued?: boolean },
  ): void {
    const error = this.#world().errors.find(
      (one) =>
        one.verb === verb &&
        one.kind === of.kind &&
        (one.group === undefined || one.group === groupOf(of.apiVersion)) &&
        (one.namespace === undefined || one.namespace === of.namespace) &&
        (one.name === undefined || one.name === call.name) &&
        (one.page === undefined || call.continued === true),
    );
    if (error !== undefined) this.#throw(error, signal);
  }

  #throw({ code, reason = '', message = '', cause }: ApiErrorDefinition, signal: AbortSignal): never {
    switch (cause) {
      case 'cancelled':
        throw new DOMException('the request was aborted', 'AbortError');
      case 'deadline':
        this.#expireDeadline();
        throw signal.reason;
      case 'rateLimit': {
        const inner = new Error('rate: Wait(n=1) would exceed context deadline');
        throw new Error(`client rate limiter Wait returned an error: ${inner.message}`, { cause: inner });
      }
      default:
        if (code === undefined) throw new Error(message);
        throw new KubeApiError({ code, reason, message });
    }
  }
}

/** Judges labels by a selector in its text form. */
function matchesSelector(labels: Readonly<Record<string, string>>, text: string): boolean {
  const requirements = text.split(/,(?![^(]*\))/).filter((part) => part !== '');
  return requirements.every((requirement) => {
    const set = /^(\S+) (in|notin) \((.*)\)$/.exec(requirement);
    if (set !== null) {
      const [, key = '', operator, values = ''] = set;
      const held = labels[key];
      const inSet = held !== undefined && values.split(',').includes(held);
      return operator === 'in' ? inSet : !inSet;
    }
    if (requirement.startsWith('!')) return !(requirement.slice(1) in labels);
    const equals = requirement.indexOf('=');
    return equals < 0 ? requirement in labels : labels[requirement.slice(0, equals)] === requirement.slice(equals + 1);
  });
}
