import type { ResourceEvent, SyncReport } from '../ports';
import type { Remediation } from './sync';

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

/** By which rule a sync was decided, also where carrying it out failed, and with which chart. */
export interface Decided {
  rule: string | undefined;
  /** Its commit or version; undefined until it is at hand. */
  revision: string | undefined;
  /** What Helm went back to after a failure, where it did. */
  remediated?: Remediation;
}

/** Tells what a sync came to; where Helm went back after a failure, that as an act of its own after it, with what had failed. */
export function reportSync(told: SyncReport, { rule, remediated }: Decided, notify: (told: SyncReport) => void): void {
  notify(rule === undefined ? told : { ...told, rule });
  if (remediated === undefined) return;
  const { resource, by, error = '' } = told;
  notify({ resource, by, ...remediated, outcome: 'remediated', error });
}
