import type { StatusRule } from '../rule';
import { UNREADY_ROWS } from './ready-rows';

/** A Revision without requests is scaled to zero: inactive, and well. */
export const revision: StatusRule = {
  kind: 'serving.knative.dev/Revision',
  rows: [
    ...UNREADY_ROWS,
    { when: [{ condition: 'Active', status: 'False' }], status: 'Current', message: 'Revision is ready and gets no requests' },
    { status: 'Current', message: 'Revision is ready. Replicas: {.status.actualReplicas|0}' },
  ],
};
