import { phaseRows } from '../readings';
import {
  anyOf,
  below,
  condition,
  conditionAt,
  currentIf,
  failedIf,
  has,
  is,
  not,
  oneCondition,
  progressingIf,
  rulesFor,
  unobserved,
} from '../rows';
import type { Guard, RuleRow, StatusRule } from '../rule';

const PAUSED = anyOf(
  is('.spec.updateStrategy.paused', true),
  is('.spec.updateStrategy.rollingUpdate.paused', true),
  is('.spec.paused', true),
);
const NOT_ALL_UPDATED: Guard = anyOf(
  below('.status.updatedReplicas', '.spec.replicas|1'),
  below('.status.updatedReadyReplicas', '.status.updatedReplicas|0'),
);

/** A failure counts while pods are missing by it; the condition outlives what it speaks of. */
const MISSING: Guard = anyOf(below('.status.updatedReadyReplicas', '.spec.replicas|1'), below('.status.replicas', '.spec.replicas|1'));

/** CloneSet and the stateful set of Kruise: conditions that tell of failures, and counts of which partition and pause hold some back. */
const REPLICATED_ROWS: readonly RuleRow[] = [
  failedIf([oneCondition(['FailedScale', 'FailedUpdate', 'FailedCreatePod', 'FailedUpdatePod'], 'True'), MISSING]),
  unobservedWithout('.status.observedGeneration'),
  progressingIf([PAUSED, NOT_ALL_UPDATED], '{.kind} is paused. Updated: {.status.updatedReplicas|0}/{.spec.replicas|1}', 'Paused'),
  progressingIf(below('.status.replicas', '.spec.replicas|1'), 'Replicas: {.status.replicas|0}/{.spec.replicas|1}', 'LessReplicas'),
  progressingIf(
    below('.status.updatedReadyReplicas', '.status.updatedReplicas|0'),
    'Updated and ready: {.status.updatedReadyReplicas|0}/{.status.updatedReplicas}',
    'LessReady',
  ),
  progressingIf(
    [has('.status.readyReplicas'), below('.status.readyReplicas', '.spec.replicas|1')],
    'Ready: {.status.readyReplicas|0}/{.spec.replicas|1}',
    'LessReady',
  ),
  currentIf([], '{.kind} is available. Replicas: {.status.replicas|0}'),
];

function unobservedWithout(path: string): RuleRow {
  return { ...unobserved('Kruise'), when: [not(has(path))] };
}

const DAEMON_ROWS: readonly RuleRow[] = [
  unobservedWithout('.status.observedGeneration'),
  progressingIf(
    [is('.spec.updateStrategy.rollingUpdate.paused', true), below('.status.updatedNumberScheduled', '.status.desiredNumberScheduled|0')],
    'DaemonSet is paused. Updated: {.status.updatedNumberScheduled|0}/{.status.desiredNumberScheduled|0}',
    'Paused',
  ),
  progressingIf(
    below('.status.updatedNumberScheduled', '.status.desiredNumberScheduled|0'),
    'Updated: {.status.updatedNumberScheduled|0}/{.status.desiredNumberScheduled|0}',
    'LessUpdated',
  ),
  failedIf(
    [{ path: '.status.numberUnavailable', above: 0 }, below('.status.numberReady', 1)],
    'No pod is ready. Unavailable: {.status.numberUnavailable}',
    'Unavailable',
  ),
  progressingIf(
    below('.status.numberReady', '.status.desiredNumberScheduled|0'),
    'Ready: {.status.numberReady|0}/{.status.desiredNumberScheduled|0}',
    'LessReady',
  ),
  currentIf([], 'All pods are scheduled and ready: {.status.desiredNumberScheduled|0}'),
];

export const KRUISE_RULES: readonly StatusRule[] = [
  ...rulesFor('apps.kruise.io', ['CloneSet', 'StatefulSet'], REPLICATED_ROWS),
  { kind: 'apps.kruise.io/DaemonSet', rows: [...DAEMON_ROWS] },
  {
    kind: 'apps.kruise.io/BroadcastJob',
    rows: [
      failedIf(condition('Failed', 'True')),
      ...phaseRows({ by: 'Kruise', current: ['completed'], failed: ['failed'], waiting: ['paused'] }),
    ],
  },
  {
    kind: 'apps.kruise.io/AdvancedCronJob',
    rows: [
      progressingIf(is('.spec.paused', true), 'AdvancedCronJob is paused', 'Paused'),
      progressingIf(has('.status.active'), 'A job runs: {.status.active[*].name}', 'JobRunning'),
      currentIf(has('.status.lastScheduleTime'), 'AdvancedCronJob ran last at {.status.lastScheduleTime}'),
      currentIf(has('.spec.schedule'), 'AdvancedCronJob is scheduled: {.spec.schedule}'),
    ],
  },
  {
    kind: 'game.kruise.io/GameServer',
    rows: [
      failedIf(is('.status.currentState', 'Crash'), 'GameServer crashed', 'Crash'),
      failedIf(conditionAt('.status.podStatus.conditions', 'KruisePodReady', 'False'), 'The pod is not ready for Kruise', 'PodNotReady'),
      currentIf([is('.status.currentState', 'Ready')], 'GameServer is ready'),
      progressingIf(has('.status.currentState'), 'GameServer is {.status.currentState}', '{.status.currentState}'),
      unobserved('Kruise Game'),
    ],
  },
  {
    kind: 'game.kruise.io/GameServerSet',
    rows: [
      progressingIf(is('.spec.updateStrategy.rollingUpdate.paused', true), 'GameServerSet is paused', 'Paused'),
      progressingIf(below('.status.readyReplicas', '.spec.replicas|0'), 'Ready: {.status.readyReplicas|0}/{.spec.replicas}', 'LessReady'),
      currentIf(has('.status.replicas'), 'GameServerSet is ready. Replicas: {.status.replicas}'),
      unobserved('Kruise Game'),
    ],
  },
];
