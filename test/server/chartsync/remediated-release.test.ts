import { describe, expect, it } from 'vitest';
import type { Fields } from '@/lib/kube/fields';
import type { Given } from './release-rig';
import { COMMIT, look, released, tell } from './release-rig';

const FIRST = { commit: 'f1457000f1457000', subject: 'the first chart', author: 'Ada', at: '2027-01-15T07:00:00Z' };
const NEXT = 'feed0000feed0000';
const BACK = { revision: FIRST.commit, commit: FIRST, onlyAttempted: false };

/** A release of which COMMIT failed, so that Helm went back to the first, as revision 3. */
function remediated(phase: string, { status = {}, seen = {} }: { readonly status?: Fields; readonly seen?: Given['seen'] } = {}) {
  const lastAct = {
    at: '2027-01-15T08:00:00Z',
    by: 'commit',
    outcome: 'remediated',
    revision: FIRST.commit,
    storedRevision: 3,
    commit: FIRST,
  };
  const conditions = [{ type: 'RolledBack', status: 'True', reason: 'R', message: '' }];
  return tell({
    status: released({ phase, lastAct, conditions, ...status }),
    seen: { newest: { revision: 3, status: 'deployed' }, revisions: 3, ...seen },
  });
}

const unfetched = look('failed', { revision: undefined, error: 'the repository is out' });
const LATER: readonly [string, string, Given['seen']][] = [
  ['nothing was looked at since', 'RolledBack', {}],
  ['it was compared with what had failed', 'RolledBack', { reconciles: [look('equal')] }],
  ['it was found unmoved', 'RolledBack', { reconciles: [look('unmoved')] }],
  ['its repository cannot be fetched', 'ChartFetchFailed', { reconciles: [unfetched] }],
  ['its repository could not be fetched before this process', 'ChartFetchFailed', {}],
  ['it waits for a dependency', 'DependencyNotReady', { reconciles: [look('waits')] }],
  ['it waits for an approval', 'ApprovalRequired', { reconciles: [look('waits')] }],
  ['nobody granted the namespace', 'NotGranted', { reconciles: [unfetched] }],
  ['its values lack a Secret, as another process found', 'Failed', {}],
];

describe('a release that Helm took back to what was deployed before', () => {
  describe.each([
    ['as Helm stored it', {}],
    ['where nobody may watch what Helm stores', { newest: undefined, revisions: undefined }],
  ])('%s', (_where, known) => {
    it.each(LATER)('[issue 12.1] is at that commit, and not at the one that failed, where %s', (_when, phase, seen) => {
      expect(remediated(phase, { seen: { ...seen, ...known } })).toMatchObject(BACK);
    });

    it('[issue 12.1] tells of another commit that is tried, also where that fails, and not of the one before it', () => {
      const status = { lastAttemptedRevision: NEXT };
      const compared = { reconciles: [look('equal')] };
      const tried = { revision: NEXT, commit: null };
      expect(remediated('Upgrading', { status, seen: { ...compared, ...known } })).toMatchObject(tried);
      const failure = { revision: NEXT, message: 'it cannot be rendered' };
      for (const phase of ['DeployFailed', 'RollbackFailed']) {
        const conditions = [{ type: 'RolledBack', status: phase === 'DeployFailed' ? 'True' : 'False', reason: 'R', message: '' }];
        expect(remediated(phase, { status: { ...status, failure, conditions }, seen: known })).toMatchObject(tried);
      }
    });
  });

  it('[issue 12.1] is at no commit that anybody knows once it was upgraded by hand, unless it was compared since', () => {
    const byHand = { newest: { revision: 4, status: 'deployed' }, revisions: 4 } as const;
    expect(remediated('ChartFetchFailed', { seen: byHand })).toMatchObject({ revision: null, commit: null });
    expect(remediated('Succeeded', { seen: { ...byHand, reconciles: [look('equal')] } })).toMatchObject({ revision: COMMIT });
  });

  it('[issue 12.1] is at the commit that is tried while Helm stores that', () => {
    const seen = { newest: { revision: 4, status: 'pending-upgrade' }, revisions: 4, reconciles: [look('equal')] } as const;
    const told = remediated('Upgrading', { status: { lastAttemptedRevision: NEXT }, seen });
    expect(told).toMatchObject({ revision: NEXT, commit: null });
  });
});
