import type { ResourceEvent, SyncReport } from '../ports';

/** The event that tells what a sync came to; undefined where the event of the spec that came in between does. */
export function eventOf(
  release: string,
  { outcome, error = '', phase }: Pick<SyncReport, 'outcome' | 'error'> & { readonly phase: string | undefined },
): ResourceEvent | undefined {
  const message = `release '${release}'`;
  switch (outcome) {
    case 'dropped':
      return undefined;
    case 'plan-moved':
      return { type: 'Warning', reason: 'PlanMoved', message: `${message} was not touched: ${error}` };
    case 'waits': {
      const reason = phase === 'ApprovalRequired' ? phase : 'DependencyNotReady';
      return { type: 'Normal', reason, message: `${message} waits: ${error}` };
    }
    case 'failed':
      return { type: 'Warning', reason: 'FailedReleaseSync', message: `synchronization of ${message} failed: ${error}` };
    default:
      return { type: 'Normal', reason: 'ReleaseSynced', message: `managed ${message} synchronized` };
  }
}
