import type { Cluster } from '@/server/kube';
import { ignoreNotFound } from '@/server/kube';
import type { LiveObjects } from '../../cluster/live-objects';
import { differingFields } from '../../drift/differing-fields';
import type { HelmStorage } from '../../helm/storage';
import type { ReleaseRef } from '../../model/release';

const DEFINITION = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' } as const;

interface StaleDeps {
  readonly storage: HelmStorage;
  readonly live: Pick<LiveObjects, 'parse'>;
  readonly cluster: Cluster;
}

/** The definitions in the crds folder of the released chart that are not installed as the chart has them, by name: Helm installs them once, and upgrades none. */
export async function readStaleDefinitions(deps: StaleDeps, release: ReleaseRef): Promise<readonly string[]> {
  const { storage } = deps;
  const newest = (await storage.readHistory(release)).at(-1)?.revision;
  return newest === undefined ? [] : staleOf(await storage.readDefinitions(release, newest), deps, { isNew: false });
}

/** Of the files in the crds folder of a chart, the definitions that Helm would leave otherwise than the chart has them: an install only makes those that are missing. */
export async function staleOf(
  files: readonly string[],
  { live, cluster }: Pick<StaleDeps, 'live' | 'cluster'>,
  { isNew }: { readonly isNew: boolean },
): Promise<readonly string[]> {
  const stale: string[] = [];
  for (const text of files) {
    for (const definition of await live.parse(text)) {
      const { name } = definition.metadata;
      if (definition.kind !== DEFINITION.kind || name === undefined) continue;
      const installed = await ignoreNotFound(cluster.get({ ...DEFINITION, name }));
      if (installed === undefined ? !isNew : differingFields(definition, installed).length > 0) stale.push(name);
    }
  }
  return stale;
}
