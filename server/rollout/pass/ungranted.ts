import type { Condition } from '@/lib/kube/condition';
import { getCondition } from '@/lib/kube/condition';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { toAddress } from '@/lib/kube/object';
import type { Instant } from '@/lib/std/instant';
import { toKubeTime } from '@/lib/std/instant';
import type { ServerAction } from '@/server/kube';
import type { RolloutView } from '../control/view';

/** There only while the server may not scale what a rollout moves; whoever reads the rollout finds the command there. */
const GRANTED = 'Granted';
export const NOT_GRANTED = 'NotGranted';

/** When a rollout that waits for a grant is looked at again: nothing tells the server that it may do more. */
export const UNGRANTED_MS = 30_000;

/** What the server does itself to move a rollout: it lists, since what may not be watched is polled, and it scales. Without the role of readers a grant gives the reading as well. */
export function serverActionsOf({ ro, workloads }: Pick<RolloutView, 'ro' | 'workloads'>): readonly ServerAction[] {
  const { namespace } = ro.rollout;
  const read = [KINDS.deployment, KINDS.horizontalPodAutoscaler, KINDS.pod].map((type) => ({
    verbs: ['list'],
    object: { ...type, namespace, name: '' },
  }));
  const scaled = [...workloads.values()].flatMap(({ object, autoscaler }) => [
    { verbs: ['patch'], object: toAddress(object), subresource: 'scale' },
    ...(autoscaler === undefined ? [] : [{ verbs: ['update'], object: toAddress(autoscaler.object) }]),
  ]);
  return [...read, ...scaled];
}

/** Why the server may not move a rollout, as its last pass found it; undefined where it may. */
export function ungrantedOf(rollout: KubeObject): string | undefined {
  const condition = getCondition(rollout, GRANTED);
  return condition?.status === 'False' ? (condition.message ?? '') : undefined;
}

/** Conditions that say what is not granted, or nothing of it. */
export function withGrant(conditions: readonly Condition[], ungranted: string | undefined, now: Instant): readonly Condition[] {
  const held = conditions.find(({ type }) => type === GRANTED);
  if (held?.message === ungranted) return conditions;
  const others = conditions.filter(({ type }) => type !== GRANTED);
  if (ungranted === undefined) return others;
  const lastTransitionTime = held?.lastTransitionTime ?? toKubeTime(now);
  const condition = {
    type: GRANTED,
    status: 'False',
    severity: 'Info',
    reason: NOT_GRANTED,
    message: ungranted,
    lastTransitionTime,
  } as const;
  return [...others, condition].sort((a, b) => (a.type < b.type ? -1 : 1));
}
