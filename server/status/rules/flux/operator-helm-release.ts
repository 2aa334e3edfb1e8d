import type { StatusRule } from '../rule';
import { RELEASE_STATUS_ROWS } from './operator-rows';

/** The later kind of helm-operator: conditions that name the step, and a phase. A release that was rolled back is not what was asked for. */
export const operatorHelmRelease: StatusRule = {
  kind: 'helm.fluxcd.io/HelmRelease',
  rows: [
    { when: [{ condition: 'RolledBack', status: ['True', 'False'] }], status: 'Failed', message: '{condition.message}' },
    { when: [{ condition: 'RolledBack', status: 'Unknown' }], status: 'InProgress', message: '{condition.message}' },
    {
      when: [{ path: '.status.phase', is: ['Installing', 'Upgrading', 'Migrating', 'Testing'] }],
      status: 'InProgress',
      reason: '{.status.phase}',
      message: 'Helm release: {.status.phase}',
    },
    { when: [{ condition: 'ChartFetched', status: 'False' }], status: 'Failed', message: '{condition.message}' },
    { when: [{ condition: 'Released', status: 'False' }], status: 'Failed', message: '{condition.message}' },
    { when: [{ condition: 'Released', status: 'True' }], status: 'Current', message: '{condition.message}' },
    ...RELEASE_STATUS_ROWS,
  ],
};
