import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject, TypeRef } from '@/lib/kube/object';
import type { Cluster } from '@/server/kube';
import { createRemoteCluster } from '@/server/kube';
import type { RemoteCluster } from '@/server/kube/remote/create';
import { createRandom, realClock, silentLog } from '@/server/platform';

/** Kinds that people and engines make; what controllers derive from them is left to the controllers. */
export const MADE_KINDS: readonly TypeRef[] = [
  KINDS.application,
  KINDS.applicationRevision,
  KINDS.resourceTracker,
  KINDS.rolloutOrchestrator,
  KINDS.stagePodAutoscaler,
  KINDS.stageDecision,
  KINDS.deployment,
  KINDS.service,
  { apiVersion: 'v1', kind: 'ConfigMap' },
  { apiVersion: 'v1', kind: 'Secret' },
];

/** The cluster itself, asked past the console. */
export function openCluster(kubeconfig: string): RemoteCluster {
  return createRemoteCluster({ source: { kind: 'kubeconfig', path: kubeconfig }, clock: realClock, random: createRandom(1), log: silentLog });
}

/** Every object of these kinds, by `Kind namespace/name`. */
export async function census(cluster: Cluster, kinds: readonly TypeRef[] = MADE_KINDS): Promise<ReadonlyMap<string, KubeObject>> {
  const found = new Map<string, KubeObject>();
  for (const kind of kinds) {
    for await (const page of cluster.list(kind)) {
      for (const item of page.items) found.set(`${kind.kind} ${item.metadata.namespace ?? ''}/${item.metadata.name}`, item);
    }
  }
  return found;
}

/** The same, as text that changes with any write. */
export async function versions(cluster: Cluster, kinds: readonly TypeRef[] = MADE_KINDS): Promise<readonly string[]> {
  return [...(await census(cluster, kinds))].map(([id, { metadata }]) => `${id} ${metadata.uid} ${metadata.resourceVersion}`).sort();
}
