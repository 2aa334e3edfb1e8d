import type { StatusRule } from '../rule';
import { UNREADY_ROWS } from './ready-rows';

export const route: StatusRule = {
  kind: 'serving.knative.dev/Route',
  rows: [...UNREADY_ROWS, { status: 'Current', message: 'Route sends its requests to {.status.traffic[*].revisionName|nobody}' }],
};
