import { phaseRows, summaryRows } from '../readings';
import { anyOf, condition, currentIf, failedIf, has, is, oneCondition, progressingIf, rulesFor, unobserved } from '../rows';
import type { StatusRule } from '../rule';

/** Engines that bring a new version out in steps, and the stages of Kargo. */
export const PROGRESSIVE_RULES: readonly StatusRule[] = [
  // Initialized and Succeeded are the two rests of a canary; Waiting and WaitingPromotion wait for a person.
  {
    kind: 'flagger.app/Canary',
    rows: [
      failedIf(
        is('.status.phase', 'Failed'),
        '{.status.conditions[type=Promoted].message|The canary failed and was rolled back}',
        'Failed',
      ),
      currentIf(is('.status.phase', 'Initialized', 'Succeeded'), '{.status.conditions[type=Promoted].message|.status.phase}'),
      progressingIf(is('.status.phase', 'Terminated'), 'Canary is finalised', 'Terminated'),
      progressingIf(
        has('.status.phase'),
        '{.status.conditions[type=Promoted].message|.status.phase} Weight of the canary: {.status.canaryWeight|0}',
        '{.status.phase}',
      ),
      unobserved('Flagger'),
    ],
  },
  {
    kind: 'kargo.akuity.io/Stage',
    rows: [
      failedIf(is('.status.health.status', 'Unhealthy'), 'Stage is unhealthy: {.status.health.issues[*]}', 'Unhealthy'),
      progressingIf(has('.status.currentPromotion'), 'Promotion {.status.currentPromotion.name} is running', 'Promoting'),
      failedIf(
        is('.status.lastPromotion.status.phase', 'Failed', 'Errored'),
        'Promotion {.status.lastPromotion.name} failed. {.status.lastPromotion.status.message}',
        'PromotionFailed',
      ),
      progressingIf(
        is('.status.health.status', 'Progressing', 'Unknown'),
        'Stage is {.status.health.status}. {.status.health.issues[*]}',
        '{.status.health.status}',
      ),
      ...summaryRows({ by: 'Kargo', waiting: ['NoFreight', 'Unverified'] }),
    ],
  },
  {
    kind: 'kargo.akuity.io/Promotion',
    rows: [...phaseRows({ by: 'Kargo', current: ['Succeeded'], failed: ['Failed', 'Errored', 'Aborted'], says: '.status.message' })],
  },
  { kind: 'kargo.akuity.io/Warehouse', rows: [failedIf(condition('Healthy', 'False')), ...summaryRows({ by: 'Kargo' })] },
  {
    kind: 'rollouts.kruise.io/Rollout',
    rows: [
      failedIf(condition('Progressing', 'False', ['Failed', 'ProgressDeadlineExceeded'])),
      failedIf(
        is('.status.canaryStatus.currentStepState', 'StepError'),
        'Step {.status.canaryStatus.currentStepIndex} failed. {.status.message}',
        'StepError',
      ),
      progressingIf(
        anyOf(
          ...['canaryStatus.currentStepState', 'blueGreenStatus.currentStepState', 'currentStepState'].map((field) =>
            is(`.status.${field}`, 'StepPaused'),
          ),
        ),
        'Rollout is paused at step {.status.canaryStatus.currentStepIndex|.status.blueGreenStatus.currentStepIndex|.status.currentStepIndex}',
        'Paused',
      ),
      ...phaseRows({ by: 'Kruise', current: ['Healthy'], failed: ['Unhealthy', 'Failed', 'Disabled'], says: '.status.message' }),
    ],
  },
  ...rulesFor(
    'numaplane.numaproj.io',
    ['*'],
    [
      failedIf(is('.status.phase', 'Failed'), '{.kind} failed. {.status.message}', 'Failed'),
      failedIf(condition('ChildResourcesHealthy', 'False', ['PipelineFailed', 'ISBSvcFailed', 'MonoVertexFailed', 'Failed'])),
      currentIf(oneCondition(['PipelinePausingOrPaused', 'MonoVertexPausingOrPaused'], 'True'), '{.kind} is paused'),
      progressingIf(condition('ChildResourcesHealthy', ['False', 'Unknown'])),
      failedIf(condition('ChildResourceDeployed', 'False')),
      failedIf(condition('ProgressiveUpgradeSucceeded', 'False')),
      progressingIf(has('.status.upgradeInProgress'), '{.kind} upgrades by {.status.upgradeInProgress}', 'Upgrading'),
      currentIf(is('.status.phase', 'Deployed'), '{.kind} is deployed'),
      progressingIf(has('.status.phase'), '{.kind} is {.status.phase}. {.status.message}', '{.status.phase}'),
      unobserved('Numaplane'),
    ],
  ),
];
