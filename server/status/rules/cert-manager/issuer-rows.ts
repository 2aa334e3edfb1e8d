import type { RuleRow } from '../rule';
import { STALE_CONDITION } from '../stale-condition';

export const ISSUER_ROWS: readonly RuleRow[] = [
  { when: [{ condition: 'Ready', stale: true }], ...STALE_CONDITION },
  { when: [{ condition: 'Ready', status: 'True' }], status: 'Current', message: '{condition.message|condition.reason}' },
  { when: [{ condition: 'Ready', status: 'False' }], status: 'Failed', message: '{condition.message}' },
  { when: [{ condition: 'Ready' }], status: 'InProgress', message: '{condition.message}' },
  { status: 'InProgress', reason: 'NotObserved', message: '{.kind} has not been looked at by cert-manager' },
];
