import type { RuleRow } from '../rule';

/** Knative's Ready is False only for what will not get better by waiting; while there is hope it is Unknown. */
export const UNREADY_ROWS: readonly RuleRow[] = [
  { when: [{ condition: 'Ready', status: 'False' }], status: 'Failed', message: '{condition.message}' },
  { when: [{ condition: 'Ready', status: 'Unknown' }], status: 'InProgress', message: '{condition.message}' },
  { when: [{ not: { condition: 'Ready' } }], status: 'InProgress', reason: 'NotObserved', message: '{.kind} has not been looked at by Knative' },
];
