import { describe, expect, it } from 'vitest';
import { formatRelease, shortRevision } from '@/lib/words/format-release';
import type { ReleaseMessage } from '@/lib/words/release-message';

const COMMIT = '0123456789abcdef0123456789abcdef01234567';

describe('what is said of a release', () => {
  it('[design 11] shortens a commit as git does, and no version', () => {
    expect([COMMIT, '1.2.3', `${COMMIT}0`].map(shortRevision)).toEqual(['01234567', '1.2.3', `${COMMIT}0`]);
  });

  it.each<readonly [ReleaseMessage, string]>([
    [{ id: 'state.in-sync', loop: 'commit', outcome: 'upgraded', revision: COMMIT }, 'upgraded at 01234567 after a new commit'],
    [{ id: 'state.in-sync-told', revision: null, elsewhere: false }, 'released'],
    [{ id: 'state.failed', why: 'no chart', loop: null, nextFetch: null, stays: false }, 'no chart'],
    [
      { id: 'state.failed', why: 'no chart', loop: null, nextFetch: '2026-11-28T02:05:00Z', stays: false },
      'no chart; the repository is fetched again at 2026-11-28T02:05:00Z',
    ],
    [
      { id: 'state.failed', why: 'no chart', loop: null, nextFetch: '2026-11-28T02:05:00Z', stays: true },
      'no chart; the repository is fetched again at 2026-11-28T02:05:00Z; the release stays as it is',
    ],
    [{ id: 'state.failed', why: 'no chart', loop: 'schedule', nextFetch: null, stays: false }, 'the periodic check failed: no chart'],
    [
      { id: 'state.pending', stored: 'pending-upgrade', why: null },
      "Helm's storage says pending-upgrade, so nothing can be released over it until someone unlocks it",
    ],
    [{ id: 'state.rolled-back', revision: COMMIT, why: 'timed out' }, 'the upgrade to 01234567 failed and was rolled back: timed out'],
    [{ id: 'state.rolled-back', revision: null, why: '' }, 'the upgrade failed and was rolled back'],
    [{ id: 'state.held', by: 'ada', at: '09:00', verb: 'hold', revision: 3, reason: null, lost: null }, 'held by ada since 09:00'],
    [
      { id: 'state.held', by: 'ada', at: '09:00', verb: 'rollback', revision: 3, reason: 'errors', lost: COMMIT },
      'rolled back to revision 3 and held by ada since 09:00: errors; the branch no longer contains commit 01234567, which the release is at',
    ],
    [
      { id: 'upgrade.none-due', rule: 'R-1', revision: '1.2.3', outcome: 'equal' },
      'up to date at 1.2.3: a dry run found no difference in values or chart (rule R-1)',
    ],
    [
      { id: 'upgrade.none-due', rule: null, revision: null, outcome: 'unmoved' },
      'up to date: chart, values, service account, Helm and stored revision are unchanged since the last dry run',
    ],
    [{ id: 'act.not-pending', stored: null }, 'Helm has stored no revision of it'],
    [{ id: 'act.not-pending', stored: 'deployed' }, "Helm's storage says deployed: nothing is locked"],
    [{ id: 'decided.cancelled', command: 'upgrade', stored: null, revision: 2 }, 'helm upgrade was stopped; no revision is stored'],
    [
      { id: 'decided.cancelled', command: null, stored: null, revision: null, unread: 'too many requests' },
      'the server stopped while it cancelled; what Helm stored cannot be read: too many requests',
    ],
    [
      { id: 'decided.cancelled', command: 'upgrade', stored: 'failed', revision: 2 },
      "helm upgrade was stopped; Helm's storage says failed at revision 2",
    ],
    [
      { id: 'decided.stored-moved', seen: null, newest: 4 },
      'the newest revision is now 4, it was none when this was decided; review it again',
    ],
    [{ id: 'gate.demands', of: 'commit', required: 1, groups: [] }, 'each commit needs 1 approval'],
    [{ id: 'gate.demands', of: 'archive', required: 0, groups: [] }, 'archives need no approval'],
    [
      { id: 'gate.demands', of: 'commit', required: 2, groups: [['ops', 'sre'], ['pay']] },
      'each commit needs 2 approvals by members of ops or sre who are also in pay',
    ],
    [
      { id: 'state.gated', required: 2, lost: COMMIT, isInstalled: true, behind: null },
      'the approval of commit 01234567 is void, since the branch no longer contains it; the release stays as it is, and another commit needs 2 approvals',
    ],
    [
      {
        ...{ id: 'state.gated', required: 1, lost: null, isInstalled: false },
        behind: { id: 'state.branch-gone', branch: 'side', revision: null },
      },
      'branch side no longer exists upstream; no commit is released until the branch exists again or another is named; no commit is approved for it yet, so it is not installed; a commit needs 1 approval',
    ],
    [{ id: 'upgrade.gated', required: 1, lost: null }, 'no commit is approved for it yet; a commit needs 1 approval'],
    [{ id: 'upgrade.gated', required: 1, lost: COMMIT }, 'the approval of commit 01234567 is void, since the branch no longer contains it'],
    [
      { id: 'decided.approved', commit: COMMIT, by: ['ada', 'ben', 'cy'] },
      'approved by ada, ben and cy: the release goes to commit 01234567',
    ],
  ])('[issue 12] of %j is said: %s', (message, sentence) => {
    expect(formatRelease(message)).toBe(sentence);
  });
});
