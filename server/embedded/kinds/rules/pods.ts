import { isFields } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import { deepEqual } from '@/lib/std/deep-equal';
import type { FieldError } from '../../api/failures';
import { forbiddenField } from '../../api/failures';
import { clone } from '../../schemas/decode';
import type { Draft } from '../draft';
import { each, fill, peek, within } from '../draft';
import { checkPodSpec } from './pod-template';
import type { KindRules, RuleContext } from './rules';
import { completePod } from './workloads';

const TOLERATED_SECONDS = 300;

export const podRules: KindRules = {
  countsGeneration: true,
  newStatus: (object) => ({ phase: 'Pending', qosClass: qosOf(object) }),
  defaults: completePod,
  prepare: admitPod,
  validate: (object, previous) => [...checkPodSpec('spec', peek(object, 'spec')), ...checkPodUpdate(object, previous)],
};

// What admission plugins of a default control plane add to a new pod.
function admitPod(object: Draft, previous: KubeObject | undefined, { store }: RuleContext): void {
  if (previous !== undefined) return;
  const spec = within(object, 'spec');
  fill(spec, { serviceAccountName: 'default', serviceAccount: 'default', preemptionPolicy: 'PreemptLowerPriority' });
  const priorityClass =
    typeof spec.priorityClassName === 'string' ? store.get('priorityclasses.scheduling.k8s.io', spec.priorityClassName) : undefined;
  fill(spec, { priority: priorityClass?.value ?? 0 });
  const tolerations = [...each(spec, 'tolerations')];
  for (const key of ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable']) {
    const covered = tolerations.some(
      (held) => (held.key === key || held.key === undefined) && (held.effect === 'NoExecute' || held.effect === undefined),
    );
    if (!covered) tolerations.push({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: TOLERATED_SECONDS });
  }
  spec.tolerations = tolerations;
}

function qosOf(object: Draft): string {
  const resources = ['containers', 'initContainers']
    .flatMap((list) => each(object, 'spec', list))
    .map((container) => peek(container, 'resources'));
  const told = (of: Draft | undefined, kind: 'limits' | 'requests') => peek(of, kind) ?? {};
  if (resources.every((of) => Object.keys({ ...told(of, 'limits'), ...told(of, 'requests') }).length === 0)) return 'BestEffort';
  const isFull = (of: Draft | undefined) =>
    ['cpu', 'memory'].every(
      (name) =>
        told(of, 'limits')[name] !== undefined && told(of, 'limits')[name] === (told(of, 'requests')[name] ?? told(of, 'limits')[name]),
    );
  return resources.every(isFull) ? 'Guaranteed' : 'Burstable';
} // prettier-ignore

const MAY_CHANGE = ['activeDeadlineSeconds', 'terminationGracePeriodSeconds', 'tolerations', 'ephemeralContainers', 'schedulingGates'];

function checkPodUpdate(object: Draft, previous: KubeObject | undefined): readonly FieldError[] {
  if (previous === undefined) return [];
  const freed = (spec: unknown) => {
    const copy = clone(isFields(spec) ? spec : {}) as Draft;
    for (const member of MAY_CHANGE) delete copy[member];
    for (const container of [...each(copy, 'containers'), ...each(copy, 'initContainers')]) delete container.image;
    return copy;
  };
  if (deepEqual(freed(object.spec), freed(previous.spec))) return [];
  const why =
    'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';
  return [forbiddenField('spec', why)];
} // prettier-ignore
