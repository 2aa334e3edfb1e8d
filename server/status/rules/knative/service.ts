import type { StatusRule } from '../rule';
import { UNREADY_ROWS } from './ready-rows';

export const service: StatusRule = {
  kind: 'serving.knative.dev/Service',
  rows: [...UNREADY_ROWS, { status: 'Current', message: 'Service is ready at {.status.url|no address}. Revision: {.status.latestReadyRevisionName|none}' }],
};
