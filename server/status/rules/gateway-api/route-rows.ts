import type { RuleRow } from '../rule';
import { STALE_CONDITION } from '../stale-condition';

const PARENTS = '.status.parents[*].conditions';

/** Every kind of route has the same status: conditions per parent, written by the controller of that parent. */
export const ROUTE_ROWS: readonly RuleRow[] = [
  { when: [{ path: '.spec.parentRefs', present: false }], status: 'Current', message: '{.kind} names no parent' },
  { when: [{ condition: 'Accepted', at: PARENTS, stale: true }], ...STALE_CONDITION },
  { when: [{ condition: 'ResolvedRefs', at: PARENTS, stale: true }], ...STALE_CONDITION },
  { when: [{ condition: 'Accepted', status: 'False', reason: 'Pending', at: PARENTS }], status: 'InProgress', message: '{condition.message}' },
  { when: [{ condition: 'Accepted', status: 'False', at: PARENTS }], status: 'Failed', message: '{condition.message}' },
  { when: [{ condition: 'ResolvedRefs', status: 'False', at: PARENTS }], status: 'Failed', message: '{condition.message}' },
  { when: [{ condition: 'PartiallyInvalid', status: 'True', at: PARENTS }], status: 'Failed', message: '{condition.message}' },
  { when: [{ condition: 'Accepted', status: 'Unknown', at: PARENTS }], status: 'InProgress', message: '{condition.message}' },
  {
    when: [{ cel: 'size(object.status.parents) < size(object.spec.parentRefs)' }],
    status: 'InProgress',
    reason: 'NotAccepted',
    message: '{.kind} waits for an answer of every parent: {.spec.parentRefs[*].name}',
  },
  {
    when: [{ condition: 'Accepted', status: 'True', at: PARENTS }],
    status: 'Current',
    message: '{.kind} is accepted by {.status.parents[*].parentRef.name}',
  },
  { status: 'InProgress', reason: 'NotAccepted', message: '{.kind} waits for an answer of {.spec.parentRefs[*].name}' },
];
