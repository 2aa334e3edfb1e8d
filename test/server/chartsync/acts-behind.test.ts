import { describe, expect, it } from 'vitest';
import { actsBehind } from '@/server/chartsync';

const LEDGER = { kind: 'HelmRelease', name: 'ledger' };
const about = (more: object) => ({ at: '2026-01-01T09:00:00Z', actor: 'slipway', action: 'release.upgraded', ...LEDGER, data: null, ...more });
const acted = (by: string, storedRevision: number | null, more: object = {}) =>
  about({ data: JSON.stringify({ by, outcome: 'upgraded', storedRevision, commit: null, decision: null, ...more }) });

describe('what made a stored revision', () => {
  it('[issue 12.4] is an edit of the resource where somebody edited it through the console since the act before', () => {
    const edit = about({ action: 'release.edit', actor: 'ann' });
    expect(actsBehind([acted('resource', 3), edit, acted('commit', 2)], LEDGER).get(3)).toMatchObject({ users: ['ann'], verb: 'edit' });
    // What was released since took that edit.
    expect(actsBehind([acted('resource', 3), acted('commit', 2), edit], LEDGER).get(3)).toMatchObject({ users: [], verb: null });
    expect(actsBehind([acted('commit', 3), edit], LEDGER).get(3)).toMatchObject({ users: [], verb: null });
    expect(actsBehind([acted('resource', 3), { ...edit, name: 'other' }], LEDGER).get(3)).toMatchObject({ users: [] });
  });

  it('[issue 12.4] is the newest act of that number, by what the record can be read of', () => {
    const decision = { verb: 'approve', users: ['ann', 'bob'], reason: null };
    const entries = [acted('decision', 1, { decision }), acted('schedule', 1), acted('commit', null), about({ data: '{' }), about({ data: '{"by":"nobody"}' })];
    expect([...actsBehind(entries, LEDGER)]).toEqual([[1, { at: '2026-01-01T09:00:00Z', by: 'a decision', outcome: 'upgraded', commit: null, ...decision }]]);
  });
});
