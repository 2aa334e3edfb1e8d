import { phaseRows } from '../readings';
import { anyOf, below, cel, condition, currentIf, failedIf, has, is, progressingIf, rulesFor } from '../rows';
import type { RuleRow, StatusRule } from '../rule';

/** Phases since 1.0; before there were none, and what follows reads conditions, pauses and pod hashes. */
const PHASE_ROWS: readonly RuleRow[] = [
  failedIf(is('.status.phase', 'Degraded'), '{.status.message|Rollout is degraded}', 'Degraded'),
  progressingIf(is('.status.phase', 'Paused'), 'Rollout is paused: {.status.message|by hand}', 'Paused'),
  progressingIf(is('.status.phase', 'Progressing'), '{.status.message|Rollout is progressing}', 'Progressing'),
  currentIf(is('.status.phase', 'Healthy'), 'Rollout is healthy. Replicas: {.status.replicas|0}'),
];

/** The new pods are the stable ones: all traffic goes to them. */
const PROMOTED = anyOf(
  cel('object.status.blueGreen.activeSelector == object.status.currentPodHash'),
  cel('object.status.stableRS == object.status.currentPodHash'),
  cel('object.status.canary.stableRS == object.status.currentPodHash'),
);

const CONDITION_ROWS: readonly RuleRow[] = [
  failedIf(condition('Progressing', 'False', ['RolloutAborted', 'ProgressDeadlineExceeded'])),
  failedIf(is('.status.abort', true), 'Rollout is aborted', 'RolloutAborted'),
  progressingIf(is('.spec.paused', true), 'Rollout is paused: by hand', 'Paused'),
  progressingIf(has('.status.pauseConditions'), 'Rollout is paused: {.status.pauseConditions[*].reason}', 'Paused'),
  progressingIf(
    below('.status.updatedReplicas', '.spec.replicas|1'),
    'Updated: {.status.updatedReplicas|0}/{.spec.replicas|1}',
    'LessUpdated',
  ),
  progressingIf(
    below('.status.availableReplicas', '.status.updatedReplicas|0'),
    'Available: {.status.availableReplicas|0}/{.status.updatedReplicas}',
    'LessAvailable',
  ),
  currentIf(PROMOTED, 'Rollout serves pods {.status.currentPodHash}. Replicas: {.status.replicas|0}'),
  progressingIf(has('.status.currentPodHash'), 'Pods {.status.currentPodHash} are not promoted', 'NotPromoted'),
  { status: 'InProgress', reason: 'NotObserved', message: 'Rollout has no phase' },
];

/**
 * Its controller tells a phase and a message beside it. The generation that it observed is a text since 0.10 and was a hash before, one
 * that may be all digits: such a number lies far ahead of the generation and says nothing.
 */
const ROLLOUT: StatusRule = {
  kind: 'argoproj.io/Rollout',
  skip: ['observedGeneration'],
  rows: [
    failedIf(condition('InvalidSpec', 'True')),
    progressingIf(
      cel(
        'object.status.observedGeneration.matches("^[0-9]{1,9}$") && int(object.status.observedGeneration) < int(object.metadata.generation)',
      ),
      'Rollout generation is {.metadata.generation}, but latest observed generation is {.status.observedGeneration}',
      'LatestGenerationNotObserved',
    ),
    progressingIf(
      [
        has('.spec.workloadRef'),
        cel("object.metadata.annotations['rollout.argoproj.io/workload-generation'] != string(object.status.workloadObservedGeneration)"),
      ],
      "{.spec.workloadRef.kind} {.spec.workloadRef.name} is of generation {.metadata.annotations['rollout.argoproj.io/workload-generation']}, but latest observed generation is {.status.workloadObservedGeneration}",
      'LatestGenerationNotObserved',
    ),
    ...PHASE_ROWS,
    ...CONDITION_ROWS,
  ],
};

/** An inconclusive measurement pauses what it belongs to until a person decides. */
const MEASURED_ROWS = phaseRows({
  by: 'Argo Rollouts',
  current: ['Successful'],
  failed: ['Failed', 'Error'],
  waiting: ['Inconclusive'],
  says: '.status.message',
});

export const ARGO_ROLLOUTS_RULES: readonly StatusRule[] = [
  ROLLOUT,
  ...rulesFor('argoproj.io', ['AnalysisRun', 'Experiment'], MEASURED_ROWS),
];
