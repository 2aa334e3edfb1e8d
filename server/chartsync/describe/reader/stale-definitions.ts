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
export async function readStaleDefinitions({ storage, live, cluster }: StaleDeps, release: ReleaseRef): Promise<readonly string[]> {
  const newest = (await storage.readHistory(release)).at(-1)?.revision;
  if (newest === undefined) return [];
  const stale: string[] = [];
  for (const text of await storage.readDefinitions(release, newest)) {
    for (const definition of await live.parse(text)) {
      const { name } = definition.metadata;
      if (definition.kind !== DEFINITION.kind || name === undefined) continue;
      const installed = await ignoreNotFound(cluster.get({ ...DEFINITION, name }));
      if (installed === undefined || differingFields(definition, installed).length > 0) stale.push(name);
    }
  }
  return stale;
}
