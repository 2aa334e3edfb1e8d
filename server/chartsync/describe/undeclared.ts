import { AppError, messageOf } from '@/lib/contract/app-error';
import type { UndeclaredReleases } from '@/lib/contract/undeclared-releases';
import { HELM_STORAGES } from '@/lib/contract/undeclared-releases';
import { toObjectKey } from '@/lib/kube/object';
import type { Store } from '@/server/kube';
import { claimantsIn } from '../cluster/resources';
import type { HelmStorage } from '../helm/storage';

interface UndeclaredDeps {
  readonly storage: Pick<HelmStorage, 'readNewest'>;
  /** Watched copies of the kinds that declare releases. */
  readonly stores: readonly Store[];
  /** Those that other controllers declare, as `namespace/name` of what Helm stored. */
  readonly others: () => ReadonlySet<string>;
}

/** The releases that Helm keeps in some namespaces, or in all, and no resource declares, by their labels alone. What cannot be read is told beside the others. */
export async function readUndeclared({ storage, stores, others }: UndeclaredDeps, namespaces: readonly string[] | 'all'): Promise<UndeclaredReleases> {
  demandListed(stores);
  const theirs = others();
  const releases: UndeclaredReleases['releases'] = [];
  const failures: string[] = [];
  for (const namespace of namespaces === 'all' ? [undefined] : namespaces) {
    for (const kept of HELM_STORAGES) {
      try {
        for (const { release, entry } of await storage.readNewest(kept, namespace)) {
          if (claimantsIn(stores, release).length > 0 || theirs.has(toObjectKey(release))) continue;
          const { revision, status, storedAt = null } = entry;
          releases.push({ ns: release.namespace, name: release.name, revision, status, storedAt, storage: kept });
        }
      } catch (error) {
        failures.push(messageOf(error));
      }
    }
  }
  const keyOf = ({ ns, name }: UndeclaredReleases['releases'][number]) => `${ns}/${name}`;
  return { releases: releases.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)), why: failures[0] ?? null };
}

/** A kind that the cluster does not serve declares nothing. */
function demandListed(stores: readonly Store[]): void {
  for (const { scope, health } of stores.map((store) => ({ scope: store.scope, health: store.health() }))) {
    const isServed = health.state.kind !== 'retrying' || health.state.isMissing !== true;
    if (!health.synced && isServed) throw new AppError('unavailable', `${scope.kind}s are still being listed, so it is not known yet what is declared`);
  }
}
