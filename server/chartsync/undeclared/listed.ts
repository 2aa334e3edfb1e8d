import { AppError } from '@/lib/contract/app-error';
import { nameOfKind, nameOfKinds } from '@/lib/kube/kinds';
import type { TypeRef } from '@/lib/kube/object';
import type { Instant } from '@/lib/std/instant';
import { toIso } from '@/lib/std/instant';
import type { Cluster, Store } from '@/server/kube';
import { findStalenessOfKind } from '@/server/kube';
import type { Clock } from '@/server/platform';
import { memoizeFor } from '@/server/platform';
import { isUndefined } from '../cluster/resources';

const KEPT_MS = 30_000;
const GRANT = 'kubectl apply -f deploy/rbac/server.yaml';

/** Throws while the kinds that declare releases are not listed, and says where one may not be. One that is not served declares nothing. */
export function requireListed(stores: readonly Store[]): void {
  for (const store of stores) {
    const refused = refusedReason(store);
    if (refused !== undefined) throw new AppError('unavailable', refused);
    const { synced, state } = store.health();
    const isServed = state.kind !== 'retrying' || state.isMissing !== true;
    if (!synced && isServed)
      throw new AppError('unavailable', `${nameOfKinds(store.scope)} are still being listed, so it is not known yet what is declared`);
  }
}

/** Tells whether a kind is not defined at all. */
export type IsUndefined = (type: TypeRef) => Promise<boolean>;

/** The same, asked of the cluster each time, or once in half a minute for all who look. */
export function definitionsOf(cluster: Pick<Cluster, 'get'>, kept?: Pick<Clock, 'now'>): IsUndefined {
  const ask = (type: TypeRef) => isUndefined(cluster, { ...type, name: '' });
  if (kept === undefined) return ask;
  const answers = memoizeFor<boolean>(KEPT_MS, kept);
  return (type) => answers(nameOfKind(type), () => ask(type));
}

/**
 * Says of each kind that declares releases and is defined and served at no version that its resources are there, and nobody can read them. Only
 * of a kind that is not defined it is known that it declares nothing.
 */
export async function unservedReasons(stores: readonly Store[], isUndefinedKind: IsUndefined): Promise<readonly string[]> {
  const reasons: string[] = [];
  for (const store of stores) {
    const [{ scope }, { state }] = [store, store.health()];
    if (state.kind !== 'retrying' || state.isMissing !== true || (await isUndefinedKind(scope))) continue;
    reasons.push(`${nameOfKinds(scope)} are defined, and the cluster serves no version of them, so it is not known what they declare`);
  }
  return reasons;
}

/** Whether nobody can tell what the resources of a kind declare, since they may not be listed or are not served. */
export async function isUnread(store: Store, isUndefinedKind: IsUndefined): Promise<boolean> {
  if (store.health().synced) return false;
  return refusedReason(store) !== undefined || (await unservedReasons([store], isUndefinedKind)).length > 0;
}

/** Throws while there is such a kind. */
export async function requireServed(stores: readonly Store[], isUndefinedKind: IsUndefined): Promise<void> {
  const [reason] = await unservedReasons(stores, isUndefinedKind);
  if (reason !== undefined) throw new AppError('unavailable', reason);
}

/** Why a kind that nobody lets the server list will not come, and what mends that; undefined of any other. */
export function refusedReason(store: Store): string | undefined {
  const { synced, state } = store.health();
  if (synced || state.kind !== 'refused') return undefined;
  return `the server may not list ${nameOfKinds(store.scope)}, so it is not known which releases those declare; ${GRANT} grants it`;
}

/** The same for whoever acts by it: throws also while it is not known whether one was made since they were heard of last. */
export function requireFresh(stores: readonly Store[], now: Instant): void {
  requireListed(stores);
  for (const store of stores) {
    const loss = findStalenessOfKind(store, now);
    if (loss === undefined) continue;
    throw new AppError(
      'unavailable',
      `${nameOfKinds(store.scope)} are known as of ${toIso(loss.since)}, so it is not known what is declared now: ${loss.reason}`,
    );
  }
}
