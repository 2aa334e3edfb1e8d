import type { Status } from './result';

/** One status for a set. Failed and Unknown win even over what is desired, so one failed object keeps a wait from ending. */
export function aggregateStatus(statuses: readonly Status[], desired: Status): Status {
  if (statuses.includes('Failed')) return 'Failed';
  if (statuses.includes('Unknown')) return 'Unknown';
  return statuses.every((status) => status === desired) ? desired : 'InProgress';
}
