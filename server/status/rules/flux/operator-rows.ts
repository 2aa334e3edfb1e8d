import type { RuleRow } from '../rule';

/** Reading a Helm release by what Helm stores of it; helm-operator wrote it in upper case first, then as Helm does. */
export const RELEASE_STATUS_ROWS: readonly RuleRow[] = [
  { when: [{ path: '.status.releaseStatus', is: ['DEPLOYED', 'deployed'] }], status: 'Current', message: 'Helm release is deployed' },
  {
    when: [{ path: '.status.releaseStatus', is: ['FAILED', 'failed'] }],
    status: 'Failed',
    reason: 'ReleaseFailed',
    message: 'The last change of the Helm release failed',
  },
  {
    when: [{ path: '.status.releaseStatus', is: ['DELETED', 'uninstalled'] }],
    status: 'Failed',
    reason: 'ReleaseDeleted',
    message: 'The Helm release was uninstalled',
  },
  {
    when: [{ path: '.status.releaseStatus', present: true }],
    status: 'InProgress',
    reason: 'ReleaseChanging',
    message: 'Helm release is {.status.releaseStatus}',
  },
  { status: 'InProgress', reason: 'NoRelease', message: 'There is no Helm release' },
];
