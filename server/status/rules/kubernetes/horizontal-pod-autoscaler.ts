import type { StatusRule } from '../rule';

/** Conditions are part of autoscaling/v2; what v1 has of them is an annotation, so nothing is told of it here. */
export const horizontalPodAutoscaler: StatusRule = {
  kind: 'autoscaling/HorizontalPodAutoscaler',
  rows: [
    { when: [{ condition: 'AbleToScale', status: 'False' }], status: 'Failed', message: '{condition.message}' },
    {
      when: [{ condition: 'ScalingActive', status: 'False', reason: ['InvalidSelector', 'AmbiguousSelector', 'InvalidMetricSourceType'] }],
      status: 'Failed',
      message: '{condition.message}',
    },
    { when: [{ condition: 'ScalingActive', status: 'False', reason: 'ScalingDisabled' }], status: 'Current', message: '{condition.message}' },
    // Metrics of pods that have just started are missing for a minute; the next look finds them.
    { when: [{ condition: 'ScalingActive', status: 'False' }], status: 'InProgress', message: '{condition.message}' },
    {
      when: [{ condition: 'AbleToScale', status: 'True' }],
      status: 'Current',
      message:
        'Scales {.spec.scaleTargetRef.kind} {.spec.scaleTargetRef.name} from {.spec.minReplicas|1} to {.spec.maxReplicas}. Replicas: {.status.currentReplicas|0}',
    },
    {
      when: [{ not: { path: '.apiVersion', is: 'autoscaling/v1' } }],
      status: 'InProgress',
      reason: 'NotObserved',
      message: 'HorizontalPodAutoscaler has not been looked at by its controller',
    },
  ],
};
