import type { StatusRule } from '../rule';

/** A record has no controller that could be behind. */
export const resourceTracker: StatusRule = {
  kind: 'core.oam.dev/ResourceTracker',
  rows: [{ status: 'Current', message: 'Keeps the record of application generation {.spec.applicationGeneration|0}' }],
};
