import { describe, expect, it } from 'vitest';
import type { RecordEntry } from '@/lib/contract/record-entry';
import { toInstant } from '@/lib/std/instant';
import { causeOf, revisionCauses } from '@/server/chartsync';

const LEDGER = { kind: 'HelmRelease', name: 'ledger' };
const ABOUT = { apiVersion: 'helm.fluxcd.io/v1', ...LEDGER };
const AT = toInstant(Date.UTC(2026, 0, 1, 9));
const about = (more: Partial<RecordEntry>): RecordEntry => ({
  id: '',
  at: AT,
  actor: 'slipway',
  action: 'release.upgraded',
  about: ABOUT,
  message: '',
  ...more,
});
const acted = (by: string, storedRevision: number | null, more: object = {}) =>
  about({ data: { by, outcome: 'upgraded', storedRevision, commit: null, decision: null, ...more } });

describe('what made a stored revision', () => {
  it('[issue 12.4] is an edit of the resource where somebody edited it through the console since the act before', () => {
    const edit = about({ action: 'release.edit', actor: 'ann' });
    expect(revisionCauses([acted('commit', 2), edit, acted('resource', 3)], LEDGER).get(3)).toMatchObject({ users: ['ann'], verb: 'edit' });
    // What was released since took that edit.
    expect(revisionCauses([edit, acted('commit', 2), acted('resource', 3)], LEDGER).get(3)).toMatchObject({ users: [], verb: null });
    expect(revisionCauses([edit, acted('commit', 3)], LEDGER).get(3)).toMatchObject({ users: [], verb: null });
    const others = [
      { ...ABOUT, name: 'other' },
      { ...ABOUT, apiVersion: 'flux.weave.works/v1beta1' },
    ];
    for (const other of others)
      expect(revisionCauses([{ ...edit, about: other }, acted('resource', 3)], LEDGER).get(3)).toMatchObject({ users: [] });
  });

  it('[issue 12.3] is no act on an earlier release of the name, whose numbers were the same', () => {
    const causes = revisionCauses([acted('commit', 2)], LEDGER);
    const storedAt = (seconds: number) => new Date(AT + seconds * 1000).toISOString();
    expect(causeOf(causes, { revision: 2, storedAt: storedAt(-5) })).toMatchObject({ by: 'a new commit' });
    // The clock of the cluster may be ahead.
    expect(causeOf(causes, { revision: 2, storedAt: storedAt(30) })).toMatchObject({ by: 'a new commit' });
    expect(causeOf(causes, { revision: 2, storedAt: storedAt(90) })).toBeNull();
    expect(causeOf(causes, { revision: 2 })).toMatchObject({ by: 'a new commit' });
    expect(causeOf(causes, { revision: 3, storedAt: storedAt(0) })).toBeNull();
  });

  it('[issue 12.4] is the newest act of that number, by what the record can be read of', () => {
    const decision = { verb: 'approve', users: ['ann', 'bob'], reason: null };
    const entries = [
      about({ data: { by: 'nobody' } }),
      about({}),
      acted('commit', null),
      acted('schedule', 1),
      acted('decision', 1, { decision }),
    ];
    expect([...revisionCauses(entries, LEDGER)]).toEqual([
      [1, { at: '2026-01-01T09:00:00.000Z', by: 'a decision', outcome: 'upgraded', commit: null, ...decision }],
    ]);
  });
});
