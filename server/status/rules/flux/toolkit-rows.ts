import type { RuleRow } from '../rule';

/** Reasons for which a resource waits for another one that Flux looks after as well. */
const WAITING = ['DependencyNotReady', 'ArtifactFailed'];

/**
 * What the controllers of the Flux toolkit have in common. While they retry they say Reconciling, and Stalled once they have
 * given up, so the standard conditions have spoken before these rows are asked.
 */
export const TOOLKIT_ROWS: readonly RuleRow[] = [
  {
    when: [
      { condition: 'Ready', status: 'True' },
      { path: '.spec.suspend', is: true },
    ],
    status: 'Current',
    message: 'Reconciliation is suspended. {condition.message}',
  },
  {
    when: [
      { condition: 'Ready', status: 'False' },
      { path: '.spec.suspend', is: true },
    ],
    status: 'Failed',
    message: 'Reconciliation is suspended. {condition.message}',
  },
  { when: [{ path: '.spec.suspend', is: true }], status: 'InProgress', reason: 'Suspended', message: 'Reconciliation is suspended before it ended' },
  { when: [{ condition: 'Ready', status: 'True' }], status: 'Current', message: '{condition.message}' },
  { when: [{ condition: 'Ready', status: 'False', reason: WAITING }], status: 'InProgress', message: '{condition.message}' },
  { when: [{ condition: 'Ready', status: 'False' }], status: 'Failed', message: '{condition.message}' },
  { when: [{ condition: 'Ready', status: 'Unknown' }], status: 'InProgress', message: '{condition.message}' },
  { status: 'InProgress', reason: 'NotObserved', message: '{.kind} has not been looked at by Flux' },
];
