import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';

/** A rollout as somebody makes it with kubectl, half of four replicas a stage. */
export const BY_KUBECTL: KubeObject = {
  ...KINDS.rolloutOrchestrator,
  metadata: { name: 'web' },
  spec: {
    initialRevisions: [{ revisionName: 'web-v1', percent: 100, minScale: 4, maxScale: 4 }],
    targetRevisions: [{ revisionName: 'web-v2', percent: 100, minScale: 4, maxScale: 4 }],
    overConsumptionRatio: 50,
    rolloutStrategy: 'availability',
    control: { gates: 'every-stage' },
  },
};

/** The workload of one of its revisions. */
export function aRevision(name: string, replicas: number): KubeObject {
  const labels = { 'serving.knative.dev/service': 'web', 'serving.knative.dev/revision': name };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'registry.example.com/web:1' }] } };
  return { ...KINDS.deployment, metadata: { name, labels }, spec: { replicas, selector: { matchLabels: labels }, template } };
}
