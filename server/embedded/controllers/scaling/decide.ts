import type { Instant } from '@/lib/std/instant';

/** What an autoscaler sees. Proposed is what its metrics ask for; undefined when they cannot be read. */
export interface ObservedScale {
  readonly current: number;
  readonly min: number;
  readonly max: number;
  readonly proposed: { readonly replicas: number; readonly metric: string } | undefined;
  /** Earlier proposals, for stabilisation. */
  readonly recent: readonly { readonly at: Instant; readonly replicas: number }[];
  readonly now: Instant;
  readonly downWindowMs: number;
}

/** A condition to set, in the words of the original. */
export interface Finding {
  readonly type: 'AbleToScale' | 'ScalingActive' | 'ScalingLimited';
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

/** Where to go, why, and what to say about it. Unreadable metrics keep the size. */
export interface ScaleDecision {
  readonly desired: number;
  readonly reason: string | undefined;
  readonly findings: readonly Finding[];
  readonly unreadable: boolean;
}

const GOT: Finding = {
  type: 'AbleToScale',
  status: 'True',
  reason: 'SucceededGetScale',
  message: "the HPA controller was able to get the target's current scale",
};
const DORMANT: Finding = {
  type: 'ScalingActive',
  status: 'False',
  reason: 'ScalingDisabled',
  message: 'scaling is disabled since the replica count of the target is zero',
};
const UNREADABLE: Finding = {
  type: 'ScalingActive',
  status: 'False',
  reason: 'FailedGetResourceMetric',
  message:
    'the HPA was unable to compute the replica count: failed to get cpu utilization: unable to get metrics for resource cpu: unable to fetch metrics from resource metrics API: the server could not find the requested resource (get pods.metrics.k8s.io)',
};
const STEADY: Finding = {
  type: 'AbleToScale',
  status: 'True',
  reason: 'ReadyForNewScale',
  message: 'recommended size matches current size',
};
const STABILIZED: Finding = {
  type: 'AbleToScale',
  status: 'True',
  reason: 'ScaleDownStabilized',
  message: 'recent recommendations were higher than current one, applying the highest recent recommendation',
};

/** Decides the size of a workload: dormant at zero, inside its bounds always, and by its metrics within them. */
export function decideScale(seen: ObservedScale): ScaleDecision {
  const { current, min, max, proposed } = seen;
  const stay = { desired: current, reason: undefined, unreadable: false };
  if (current === 0) return { ...stay, findings: [GOT, DORMANT] };
  if (current > max) return { ...stay, desired: max, reason: 'Current number of replicas above Spec.MaxReplicas', findings: [GOT] };
  if (current < min) return { ...stay, desired: min, reason: 'Current number of replicas below Spec.MinReplicas', findings: [GOT] };
  if (!proposed) return { ...stay, findings: [GOT, UNREADABLE], unreadable: true };
  const active: Finding = {
    type: 'ScalingActive',
    status: 'True',
    reason: 'ValidMetricFound',
    message: `the HPA was able to successfully calculate a replica count from ${proposed.metric}`,
  };
  const stable = stabilize(seen, proposed.replicas);
  const { desired, limited } = limit(seen, stable);
  const reason = desired > current ? `${proposed.metric} above target` : desired < current ? 'All metrics below target' : undefined;
  return { ...stay, desired, reason, findings: [GOT, active, stable === proposed.replicas ? STEADY : STABILIZED, limited] };
}

// Going down follows the highest proposal of the window, so that a short lull does not take pods away.
function stabilize({ recent, now, downWindowMs }: ObservedScale, proposed: number): number {
  const remembered = recent.filter(({ at }) => at > now - downWindowMs).map(({ replicas }) => replicas);
  return Math.max(proposed, ...remembered);
}

function limit({ current, min, max }: ObservedScale, proposed: number): { readonly desired: number; readonly limited: Finding } {
  const upLimit = Math.max(2 * current, 4);
  const limited = (reason: string, message: string): Finding => ({ type: 'ScalingLimited', status: 'True', reason, message });
  if (proposed < min)
    return { desired: min, limited: limited('TooFewReplicas', 'the desired replica count is less than the minimum replica count') };
  if (proposed > Math.min(max, upLimit)) {
    if (max > upLimit)
      return {
        desired: upLimit,
        limited: limited('ScaleUpLimit', 'the desired replica count is increasing faster than the maximum scale rate'),
      };
    return { desired: max, limited: limited('TooManyReplicas', 'the desired replica count is more than the maximum replica count') };
  }
  const fine = {
    type: 'ScalingLimited',
    status: 'False',
    reason: 'DesiredWithinRange',
    message: 'the desired count is within the acceptable range',
  } as const;
  return { desired: proposed, limited: fine };
}
