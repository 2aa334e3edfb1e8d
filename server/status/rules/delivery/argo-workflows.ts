import { phaseRows } from '../readings';
import { condition, currentIf, failedIf, is, oneCondition, progressingIf, rulesFor, unobserved } from '../rows';
import type { StatusRule } from '../rule';

const EVENT_CONDITIONS = ['Configured', 'Deployed', 'SourcesProvided', 'DependenciesProvided', 'TriggersProvided'];

export const ARGO_WORKFLOWS_RULES: readonly StatusRule[] = [
  {
    kind: 'argoproj.io/Workflow',
    rows: [
      failedIf(is('.status.phase', 'Failed', 'Error'), '{.status.message|Workflow has failed}', '{.status.phase}'),
      currentIf(is('.status.phase', 'Succeeded', 'Skipped', 'Omitted'), 'Workflow is {.status.phase}. {.status.message}'),
      progressingIf(is('.spec.suspend', true), 'Workflow is suspended', 'Suspended'),
      ...phaseRows({ by: 'Argo Workflows', current: [], failed: [], says: '.status.message' }).slice(2),
    ],
  },
  // A schedule is well from the moment it is written; the workflows that it makes have a status of their own.
  {
    kind: 'argoproj.io/CronWorkflow',
    rows: [
      failedIf(condition('SpecError', 'True')),
      failedIf(condition('SubmissionError', 'True')),
      currentIf(is('.spec.suspend', true), 'CronWorkflow is suspended'),
      currentIf([], 'CronWorkflow is scheduled: {.spec.schedules[*]|.spec.schedule|no time}. Last: {.status.lastScheduledTime|never}'),
    ],
  },
  ...rulesFor(
    'argoproj.io',
    ['EventBus', 'EventSource', 'Sensor'],
    [
      failedIf(oneCondition(EVENT_CONDITIONS, 'False')),
      progressingIf(oneCondition(EVENT_CONDITIONS, 'Unknown')),
      currentIf(oneCondition(['Deployed', 'Configured'], 'True'), '{.kind} is deployed'),
      unobserved('Argo Events'),
    ],
  ),
  ...rulesFor(
    'numaflow.numaproj.io',
    ['Pipeline', 'MonoVertex', 'Vertex', 'InterStepBufferService'],
    [
      failedIf(is('.status.phase', 'Failed', 'Unknown'), '{.kind} is {.status.phase}. {.status.message}', '{.status.phase}'),
      failedIf(
        is(".metadata.labels['numaplane.numaproj.io/progressive-result-state']", 'failed'),
        'The progressive upgrade of {.kind} failed',
        'UpgradeFailed',
      ),
      failedIf(condition('Configured', 'False')),
      failedIf(
        oneCondition(
          [
            'Deployed',
            'DaemonServiceHealthy',
            'DaemonHealthy',
            'VerticesHealthy',
            'SideInputsManagersHealthy',
            'PodsHealthy',
            'ChildrenResourcesHealthy',
          ],
          'False',
        ),
      ),
      progressingIf(is('.status.phase', 'Pausing', 'Deleting'), '{.kind} is {.status.phase}', '{.status.phase}'),
      currentIf(is('.status.phase', 'Running', 'Paused'), '{.kind} is {.status.phase}'),
      unobserved('Numaflow'),
    ],
  ),
];
