import { summaryRows } from '../readings';
import { condition, currentIf, failedIf, progressingIf, rulesFor, unobserved } from '../rows';
import type { StatusRule } from '../rule';

/** A run has one condition: Unknown while it goes on, then how it ended. */
export const TEKTON_RULES: readonly StatusRule[] = [
  ...rulesFor('tekton.dev', ['PipelineRun', 'TaskRun', 'CustomRun'], summaryRows({ by: 'Tekton', type: 'Succeeded' })),
  {
    kind: 'triggers.tekton.dev/EventListener',
    rows: [
      failedIf(condition('Ready', 'False')),
      progressingIf(condition('Available', ['False', 'Unknown'])),
      currentIf(condition('Ready', 'True'), 'EventListener is ready at {.status.address.url|no address}'),
      currentIf(condition('Available', 'True'), 'EventListener is available at {.status.address.url|no address}'),
      unobserved('Tekton'),
    ],
  },
];
