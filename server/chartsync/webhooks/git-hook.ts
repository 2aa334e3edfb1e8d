import { createHash } from 'node:crypto';
import type { KubeObject } from '@/lib/kube/object';
import type { DeclaredRelease } from '../model/declared';
import type { Impersonation } from '../model/impersonation';

/** Asks, by its newest value, for a fetch of what a resource takes its chart from; whichever process has the mirror hears of it. */
export const FETCH_REQUESTED_AT = 'slipway.dev/fetch-requested-at';

/** The repository of charts that the server was given, and the Secret with its credentials. */
export interface OwnRepository {
  readonly repository: string | undefined;
  readonly repositorySecret: { readonly namespace: string; readonly name: string } | undefined;
}

/** What a git server calls when somebody pushed, and the Secret whose key `webhook` signs its calls. */
export interface GitHook {
  readonly id: string;
  readonly secret: { readonly namespace: string; readonly name: string };
  /** In whose name the Secret is read; null where the server reads it as itself. */
  readonly reader: Impersonation | null;
}

/**
 * The hook of the repository that a resource takes its chart from; undefined where no Secret is named, or the chart is in no git repository.
 * Resources that share repository, Secret and account share the hook, so one call serves them all.
 */
export function gitHookOf(resource: DeclaredRelease, own: OwnRepository): GitHook | undefined {
  const namespace = resource.at.namespace ?? '';
  const source = sourceOf(resource, own);
  if (source === undefined) return undefined;
  if (resource.webhookSecret !== undefined) return toHook(source.url, { namespace, name: resource.webhookSecret }, resource.onBehalfOf);
  if (source.isOwn) return own.repositorySecret && toHook(source.url, own.repositorySecret, null);
  return (
    source.secret && toHook(source.url, { namespace: source.secret.namespace ?? namespace, name: source.secret.name }, resource.onBehalfOf)
  );
}

function sourceOf(resource: DeclaredRelease, { repository }: OwnRepository) {
  if (resource.profile === 'base') return repository === undefined ? undefined : { url: repository, isOwn: true, secret: undefined };
  const { chart } = resource.spec;
  if (chart.kind !== 'git') return undefined;
  return { url: chart.url, isOwn: chart.url === repository && chart.secret === undefined, secret: chart.secret };
}

/** True when a change of a resource asks for a fetch. */
export function requestsFetch(before: KubeObject, after: KubeObject): boolean {
  const [was, is] = [before, after].map(({ metadata }) => metadata.annotations?.[FETCH_REQUESTED_AT]);
  return is !== undefined && is !== was;
}

/** The account is part of it: what one account may read, another may not. */
function toHook(url: string, secret: GitHook['secret'], reader: Impersonation | null): GitHook {
  const account = reader?.account === undefined ? [] : [reader.account];
  const id = createHash('sha256')
    .update(JSON.stringify([url, secret.namespace, secret.name, reader?.namespace ?? null, ...account]))
    .digest('hex')
    .slice(0, 32);
  return { id, secret, reader };
}
