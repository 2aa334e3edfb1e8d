import { createHash } from 'node:crypto';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject, TypeRef } from '@/lib/kube/object';
import { toStableJson } from '@/lib/std/stable-json';
import type { Cluster } from '@/server/kube';
import { createRemoteCluster } from '@/server/kube';
import type { RemoteCluster } from '@/server/kube/remote/create';
import { createRandom, realClock } from '@/server/platform';
import { silentLog } from './silent-log';

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
  return createRemoteCluster({
    source: { kind: 'kubeconfig', path: kubeconfig },
    clock: realClock,
    random: createRandom(1),
    log: silentLog,
  });
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

/** The same, as text that changes with any write but one of status alone: what only counts, engines write some seconds later. */
export async function versions(cluster: Cluster, kinds: readonly TypeRef[] = MADE_KINDS): Promise<readonly string[]> {
  return [...(await census(cluster, kinds))].map(([id, object]) => `${id} ${object.metadata.uid} ${digestOf(object)}`).sort();
}

function digestOf({
  status: _status,
  metadata: { resourceVersion: _version, managedFields: _managed, ...metadata },
  ...said
}: KubeObject): string {
  return createHash('sha256')
    .update(toStableJson({ ...said, metadata }))
    .digest('hex')
    .slice(0, 12);
}
