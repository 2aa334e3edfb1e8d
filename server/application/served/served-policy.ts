import { readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import type { ManifestPolicy } from '@/server/dispatch';
import type { Policies } from '../spec/policies';
import { manifestPolicy } from '../spec/policies';

/** What the policies say of a manifest of a revision that is served beside the applied one. Its scale is the rollout's, also where it was made without one. */
export function servedPolicy(policies: Policies, manifest: KubeObject, workload: string): ManifestPolicy {
  const scale = scalePathsOf(manifest, workload);
  return { ...manifestPolicy(policies, manifest, 'onStateKeep'), ...(scale.length === 0 ? {} : { scale }) };
}

function scalePathsOf(manifest: KubeObject, workload: string): readonly string[] {
  if (manifest.kind === KINDS.deployment.kind) return manifest.metadata.name === workload ? ['spec.replicas'] : [];
  const scales = readString(manifest, 'spec', 'scaleTargetRef', 'name') === workload;
  return manifest.kind === KINDS.horizontalPodAutoscaler.kind && scales ? ['spec.minReplicas', 'spec.maxReplicas'] : [];
}
