import { AppError } from '@/lib/contract/app-error';
import { nameOfKinds } from '@/lib/kube/kinds';
import type { Instant } from '@/lib/std/instant';
import { toIso } from '@/lib/std/instant';
import type { Cluster, Store } from '@/server/kube';
import { findStalenessOfKind } from '@/server/kube';
import { isUndefined } from '../cluster/resources';

/** Throws while the kinds that declare releases are not listed. A kind that the cluster does not serve declares nothing. */
export function requireListed(stores: readonly Store[]): void {
  for (const { scope, health } of stores.map((store) => ({ scope: store.scope, health: store.health() }))) {
    const isServed = health.state.kind !== 'retrying' || health.state.isMissing !== true;
    if (!health.synced && isServed)
      throw new AppError('unavailable', `${nameOfKinds(scope)} are still being listed, so it is not known yet what is declared`);
  }
}

/**
 * Throws while a kind that declares releases is defined and served at no version: its resources are there, and nobody can read them. Only
 * of a kind that is not defined it is known that it declares nothing.
 */
export async function requireServed(stores: readonly Store[], cluster: Pick<Cluster, 'get'>): Promise<void> {
  for (const { scope, health } of stores) {
    const { state } = health();
    if (state.kind !== 'retrying' || state.isMissing !== true || (await isUndefined(cluster, { ...scope, name: '' }))) continue;
    throw new AppError(
      'unavailable',
      `${nameOfKinds(scope)} are defined, and the cluster serves no version of them, so it is not known what they declare`,
    );
  }
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
