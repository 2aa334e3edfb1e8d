import { readFields } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject, TypeRef } from '@/lib/kube/object';
import { kindKey } from '../cluster-view';

export const STATEFUL_SET: TypeRef = { apiVersion: 'apps/v1', kind: 'StatefulSet' };
/** Kinds whose pods can be endpoints. */
export const WORKLOADS: readonly TypeRef[] = [KINDS.deployment, STATEFUL_SET, { apiVersion: 'apps/v1', kind: 'DaemonSet' }];
const WORKLOAD_KINDS: ReadonlySet<string> = new Set(WORKLOADS.map(kindKey));

/** Labels of the pods that a workload makes, or of a pod that nobody controls; undefined of what has no pods. */
export function podLabels(object: KubeObject): Readonly<Record<string, unknown>> | undefined {
  if (object.kind === 'Pod')
    return object.metadata.ownerReferences?.some(({ controller }) => controller) ? undefined : object.metadata.labels;
  if (!WORKLOAD_KINDS.has(kindKey(object))) return undefined;
  return readFields(object, 'spec', 'template', 'metadata', 'labels');
}

/** Whether pods with these labels are endpoints of a Service. */
export function selects(service: KubeObject, labels: Readonly<Record<string, unknown>> | undefined): boolean {
  const selector = Object.entries(readFields(service, 'spec', 'selector'));
  return selector.length > 0 && selector.every(([key, value]) => labels?.[key] === value);
}
