import { expect, it } from 'vitest';
import { KINDS } from '@/lib/kube/kinds';
import type { ObservedDecision } from '@/server/application/observe/observe';
import { namesOf } from '@/server/application/permission/approvals';

it.each([
  [[10, 3], 3],
  [[3, 10], 3],
  [[3, 10, 5], 5],
  [[5, 3, 10], 5],
  [[10], undefined],
] as const)('[issue 10.2] approvals that name %j objects let as many go as two persons named: %j', (counts, most) => {
  const decisions = counts.map(
    (count, at): ObservedDecision => ({
      object: { ...KINDS.stageDecision, metadata: { name: `d${at}` } },
      spec: { applicationRef: { name: 'web', uid: 'app' }, verb: 'approve', actor: { user: `p${at}` }, garbage: { count } },
      phase: 'Accepted',
    }),
  );
  expect(namesOf(decisions, 2)).toEqual({ objects: [], count: most });
});
