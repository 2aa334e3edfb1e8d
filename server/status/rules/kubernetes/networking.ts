import { anyOf, condition, conditionAt, currentIf, failedIf, has, is, not, progressingIf } from '../rows';
import type { Guard, RuleRow, StatusRule } from '../rule';

/** What a load balancer gave, to a Service or an Ingress. */
const HAS_ADDRESS = anyOf(has('.status.loadBalancer.ingress[*].ip'), has('.status.loadBalancer.ingress[*].hostname'));
const ADDRESS = '{.status.loadBalancer.ingress[*].hostname|.status.loadBalancer.ingress[*].ip}';

/** Conditions are part of autoscaling/v2; a client of v1 reads the same list out of an annotation. */
const V1_CONDITIONS = ".metadata.annotations['autoscaling.alpha.kubernetes.io/conditions']";

function told(...seen: Parameters<typeof condition>): Guard {
  return anyOf(condition(...seen), conditionAt(V1_CONDITIONS, ...seen));
}

const AUTOSCALER_ROWS: readonly RuleRow[] = [
  failedIf(told('AbleToScale', 'False')),
  failedIf(
    told('ScalingActive', 'False', [
      'InvalidSelector',
      'AmbiguousSelector',
      'InvalidMetricSourceType',
      'FailedGetObjectMetric',
      'FailedGetExternalMetric',
    ]),
  ),
  currentIf(told('ScalingActive', 'False', 'ScalingDisabled')),
  // Metrics of pods that have just started are missing for a minute; the next look finds them.
  failedIf(
    anyOf(
      { ...condition('ScalingActive', 'False'), for: '10m' } as Guard,
      { ...conditionAt(V1_CONDITIONS, 'ScalingActive', 'False'), for: '10m' } as Guard,
    ),
  ),
  progressingIf(told('ScalingActive', 'False')),
  currentIf(
    told('AbleToScale', 'True'),
    'Scales {.spec.scaleTargetRef.kind} {.spec.scaleTargetRef.name} from {.spec.minReplicas|1} to {.spec.maxReplicas}. Replicas: {.status.currentReplicas|0}',
  ),
  { status: 'InProgress', reason: 'NotObserved', message: 'HorizontalPodAutoscaler has not been reconciled by its controller' },
];

export const NETWORKING_RULES: readonly StatusRule[] = [
  { kind: 'autoscaling/HorizontalPodAutoscaler', rows: [...AUTOSCALER_ROWS] },
  // One whose controller publishes no address is told of by a rule of the operator's own.
  {
    kind: 'networking.k8s.io/Ingress',
    rows: [
      currentIf(HAS_ADDRESS, `Ingress has an address: ${ADDRESS}`),
      { status: 'InProgress', reason: 'NoAddress', message: 'Ingress has no address' },
    ],
  },
  {
    kind: 'Service',
    rows: [
      failedIf(condition('LoadBalancerPortsError', 'True')),
      currentIf([is('.spec.type', 'LoadBalancer'), HAS_ADDRESS], `Service has an address: ${ADDRESS}`),
      progressingIf(
        [is('.spec.type', 'LoadBalancer'), has('.spec.clusterIP'), not(HAS_ADDRESS)],
        'Service has no load balancer address',
        'NoAddress',
      ),
    ],
  },
];
