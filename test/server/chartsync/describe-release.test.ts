import { describe, expect, it } from 'vitest';
import type { Fields } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import { toInstant } from '@/lib/std/instant';
import { formatRelease } from '@/lib/words/format-release';
import type { Given } from './release-rig';
import {
  base,
  COMMIT,
  condition,
  failed,
  LACKS,
  look,
  moved,
  NOW,
  OUT,
  RUNNING,
  released,
  SEEN,
  SPEC,
  tell,
  uninstall,
  upgraded,
} from './release-rig';

const STATES: readonly [string, Given, string, string][] = [
  ['nothing was done yet', {}, 'waiting', 'not reconciled yet'],
  [
    'another resource has the release',
    { status: released(), seen: { holder: { ...KINDS.helmRelease, namespace: 'shop', name: 'first' } } },
    'refused',
    'release shop-web in shop is declared by HelmRelease first in shop; this resource is ignored',
  ],
  [
    'it is suspended, whatever failed before',
    { spec: { ...SPEC, suspend: true }, seen: { reconciles: [failed] } },
    'suspended',
    'suspended, so it is not reconciled until spec.suspend is false; deleting the resource still uninstalls the release',
  ],
  ['what it would do is not what was previewed', { plan: SEEN, seen: { reconciles: [moved(SEEN)] } }, 'moved', 'change on hold: it is not'],
  [
    'the same, as a replica tells it that does not act',
    { plan: SEEN, status: { planMoved: { seen: SEEN, message: 'not it' } } },
    'moved',
    'change on hold',
  ],
  [
    'no commit is approved, and the branch is gone',
    { status: { lostBranch: { branch: 'main' } }, seen: { gate: { required: 1, groups: [] } } },
    'waiting',
    'branch main no longer exists upstream; no commit is released until the branch exists again or another is named; no commit is approved for it yet',
  ],
  [
    'no commit is approved, and the repository cannot be fetched',
    { status: { unfetched: OUT }, seen: { gate: { required: 1, groups: [] } } },
    'waiting',
    'has failed since 2027-01-15T08:00:00Z: it is out; no commit is approved for it yet, so it is not installed; a commit needs 1 approval',
  ],
  [
    'the same of one that is installed',
    { status: { unfetched: OUT, releaseStatus: 'deployed' }, seen: { gate: { required: 1, groups: [] } } },
    'waiting',
    ': it is out; the release stays at the last commit known; no commit is approved for it yet, so it stays as it is',
  ],
  [
    'it is deleted, and Helm has not begun',
    { isDeleted: true },
    'changing',
    'its resource is being deleted, and stays until Helm has uninstalled the release; to delete',
  ],
  [
    'it is deleted, and its uninstall waits behind others',
    { isDeleted: true, seen: { work: { ...uninstall, isWaiting: true } } },
    'changing',
    'helm uninstall waits for its turn, since Helm is running for other releases',
  ],
  [
    'it is deleted, and Helm is at it',
    { isDeleted: true, seen: { work: uninstall } },
    'changing',
    'its resource is being deleted, and Helm is uninstalling it',
  ],
  [
    'it failed before, and Helm is at it again',
    { status: released({ phase: 'Upgrading' }), seen: { reconciles: [failed], work: { ...uninstall, command: 'upgrade' } } },
    'changing',
    'helm upgrade is running; the attempt before it failed: timed out',
  ],
  [
    'it failed before, and Helm is refused the name at each pass',
    { ...base, status: { releaseStatus: 'FAILED' }, seen: { reconciles: [failed], work: { ...uninstall, command: 'install' } } },
    'failed',
    'failed after a new commit: timed out',
  ],
  [
    'it failed before, and Helm only looks at it',
    { status: released(), seen: { reconciles: [failed], work: { ...uninstall, command: 'upgrade --dry-run=server', purpose: 'dry-run' } } },
    'failed',
    'failed after a new commit: timed out',
  ],
  ['another plan was accepted meanwhile', { plan: 'other', seen: { reconciles: [moved(SEEN)] } }, 'waiting', 'not reconciled yet'],
  [
    'the plan was spent meanwhile',
    { status: released({ revision: COMMIT, planMoved: { seen: SEEN, message: 'not it' } }), seen: { reconciles: [look('equal')] } },
    'in-sync',
    'matches its chart at c0ffee00',
  ],
  ['the last look failed', { status: released(), seen: { reconciles: [failed] } }, 'failed', 'failed after a new commit: timed out'],
  [
    'Helm stopped half-way',
    { status: { releaseStatus: 'pending-upgrade' }, seen: { reconciles: [failed] } },
    'pending',
    "Helm's storage says pending-upgrade, so nothing can be released over it until someone unlocks it: timed out",
  ],
  [
    'Helm stopped half-way as a pass told it, and nothing of that is stored any more',
    { status: { phase: 'DeployFailed', releaseStatus: 'pending-install' }, seen: { reconciles: [failed], revisions: 0 } },
    'failed',
    'failed after a new commit: timed out',
  ],
  [
    'Helm is at work',
    { status: { phase: 'Upgrading', releaseStatus: 'pending-upgrade' }, seen: { work: { ...uninstall, command: 'upgrade' } } },
    'changing',
    'Helm is running: Upgrading',
  ],
  [
    'Helm has ended, and what follows it has not',
    {
      status: { phase: 'Upgrading', releaseStatus: 'deployed' },
      seen: { work: { ...uninstall, command: 'upgrade', until: toInstant(9) } },
    },
    'changing',
    'helm upgrade has ended; the result follows',
  ],
  [
    'Helm has ended, and so has what followed it',
    {
      status: { phase: 'Upgrading', releaseStatus: 'deployed' },
      seen: { work: { ...uninstall, command: 'upgrade', until: toInstant(9) }, reconciles: [look('equal')] },
    },
    'changing',
    'the last phase reported is Upgrading, but this server is running no Helm for it',
  ],
  [
    'Helm was at work when a process died that held the Lease',
    {
      status: { phase: 'Upgrading', releaseStatus: 'pending-upgrade' },
      seen: { loops: { kind: 'elsewhere' }, work: { ...uninstall, command: 'upgrade' } },
    },
    'changing',
    'the last phase reported is Upgrading; whether Helm is running now is known only to the replica that holds the Lease, if one does',
  ],
  [
    'the same of the base kind',
    { ...base, status: { releaseStatus: 'pending-upgrade' }, seen: { loops: { kind: 'elsewhere' } } },
    'changing',
    "Helm's storage says pending-upgrade; whether Helm is running now is known only to the replica that holds the Lease, if one does",
  ],
  [
    'Helm was at work before this process, which has not looked at it',
    { status: { phase: 'Upgrading', releaseStatus: 'pending-upgrade' } },
    'changing',
    'the last phase reported is Upgrading, but this server is running no Helm for it',
  ],
  [
    'Helm was at work before this process, which has none',
    { ...base, status: { releaseStatus: 'pending-upgrade' }, seen: { loops: LACKS } },
    'unknown',
    "Helm's storage says pending-upgrade, but this server is running no Helm for it: helm was not found; run npm run helm",
  ],
  [
    'an upgrade was taken back',
    { status: released({ phase: 'RolledBack', ...condition('Released', 'no') }) },
    'rolled-back',
    'the upgrade to c0ffee00 failed',
  ],
  [
    'a new spec waits',
    { status: released(), generation: 2 },
    'changing',
    'generation 2 of the resource has not been reconciled yet, the last was 1',
  ],
  [
    'live objects differ',
    {
      spec: { ...SPEC, driftDetection: { mode: 'warn' } },
      status: released(condition('Drifted', '2 fields differ')),
      seen: { reconciles: [look('equal')] },
    },
    'drifted',
    '2 fields differ',
  ],
  [
    'it was compared',
    { status: released(), seen: { reconciles: [look('equal')] } },
    'in-sync',
    'matches its chart at c0ffee00, compared by the periodic check',
  ],
  [
    'another replica acts, which wrote down a failure',
    {
      ...base,
      status: { releaseStatus: 'DEPLOYED', failure: { message: 'no chart', by: 'schedule' } },
      seen: { loops: { kind: 'elsewhere' } },
    },
    'failed',
    'the periodic check failed: no chart',
  ],
  [
    'another replica acts, which released it',
    { ...base, status: upgraded, seen: { loops: { kind: 'elsewhere' } } },
    'in-sync',
    'released at c0ffee00; the replica that holds the Lease compares it and has the results',
  ],
  [
    'no loop has looked at it since the server started',
    { ...base, status: upgraded },
    'unknown',
    'in sync at c0ffee00 as of 2027-01-15T08:00:00Z, not compared since: not reconciled yet since the server started',
  ],
  [
    'Helm is missing since the server started',
    { ...base, status: upgraded, seen: { loops: LACKS } },
    'unknown',
    'in sync at c0ffee00 as of 2027-01-15T08:00:00Z, not compared since: helm was not found; run npm run helm',
  ],
  [
    'Helm went missing after it was compared, and nobody told an act',
    { status: released({ revision: COMMIT }), seen: { loops: LACKS, reconciles: [look('equal')] } },
    'unknown',
    'in sync at c0ffee00 as of 2027-01-15T08:00:00Z, not compared since: helm was not found; run npm run helm',
  ],
  [
    'it was compared before the loops of now began',
    { status: released({ revision: COMMIT }), seen: { loops: RUNNING, reconciles: [look('equal', { at: toInstant(NOW - 61_000) })] } },
    'unknown',
    'in sync at c0ffee00 as of 2027-01-15T07:58:59Z, not compared since: not reconciled yet since the server started',
  ],
  [
    'another one drives releases in this cluster',
    { ...base, status: upgraded, seen: { loops: { kind: 'elsewhere' }, standing: 'a helm-operator drives releases' } },
    'unknown',
    'in sync at c0ffee00 as of 2027-01-15T08:00:00Z, not compared since: a helm-operator drives releases',
  ],
  [
    'nothing tells when it was in sync',
    { status: released({ revision: COMMIT }) },
    'unknown',
    'in sync at c0ffee00, not compared since: not reconciled yet since the server started',
  ],
  [
    'nobody ever compared it, and Helm is missing',
    { ...base, status: { releaseStatus: 'DEPLOYED' }, seen: { loops: LACKS } },
    'unknown',
    "Helm's storage says deployed; not compared with its chart yet: helm was not found; run npm run helm",
  ],
  [
    'no commit is approved and nothing is installed',
    { seen: { gate: { required: 1, groups: [] } } },
    'waiting',
    'no commit is approved for it yet, so it is not installed; a commit needs 1 approval',
  ],
  [
    'approvals were asked for when it was installed already',
    { ...base, status: { releaseStatus: 'DEPLOYED' }, seen: { gate: { required: 1, groups: [] } } },
    'waiting',
    'no commit is approved for it yet, so it stays as it is; a commit needs 1 approval',
  ],
  [
    'nobody compared what is there',
    { ...base, status: { releaseStatus: 'DEPLOYED' } },
    'unknown',
    "Helm's storage says deployed; not compared with its chart yet",
  ],
];

describe('describeRelease', () => {
  it.each(STATES)('[issue 12.4] tells the state and why when %s', (_when, given, state, sentence) => {
    const told = tell(given);
    expect(told.state).toBe(state);
    expect(formatRelease(told.says)).toContain(sentence);
  });

  it('[issue 12.4] tells what keeps the loops from it, and no next check then', () => {
    expect(formatRelease(tell({ seen: { loops: LACKS } }).waits ?? { id: 'state.suspended' })).toBe('helm was not found; run npm run helm');
    expect(tell({ seen: { loops: LACKS } }).nextCheckAt).toBeNull();
    expect(tell({ seen: { standing: 'a helm-operator drives releases' } }).waits).toMatchObject({ why: 'a helm-operator drives releases' });
    expect(tell({}).waits).toBeNull();
    expect(tell({}).nextCheckAt).toBe(NOW + 60_000);
    const baseWaits = {
      kind: 'running',
      since: toInstant(NOW - 60_000),
      baseWaits: 'no repository is configured',
      nextPassAt: NOW,
    } as const;
    expect(tell({ ...base, seen: { loops: baseWaits } }).waits).toMatchObject({ why: 'no repository is configured' });
    expect(tell({ seen: { loops: baseWaits } }).waits).toBeNull();
  });

  it('[issue 12.4] tells of drift what was found last, when, and why nobody has looked since, where nobody has', () => {
    const driftOf = (given: Given) => {
      const { state, drift } = tell(given);
      return [state, drift.state, formatRelease(drift.says)];
    };
    const matched = { ...upgraded, drift: { at: '2027-01-15T07:00:00Z', state: 'none', message: '' } };
    const found = { state: 'drifted', message: '2 fields differ', at: NOW } as const;
    const looks = [look('equal')];
    expect(driftOf({ ...base, status: matched, seen: { loops: { kind: 'elsewhere' } } })[2]).toBe('live objects match the release');
    expect(driftOf({ ...base, status: matched, seen: { reconciles: looks, drift: { ...found, state: 'none' } } })[2]).toBe(
      'live objects match the release',
    );
    // A repository that is not there keeps nobody from looking at live objects.
    expect(driftOf({ ...base, seen: { loops: { ...RUNNING, baseWaits: 'no repository' }, drift: { ...found, state: 'none' } } })[1]).toBe(
      'none',
    );
    expect(driftOf({ ...base, status: matched })).toEqual([
      'unknown',
      'unknown',
      'live objects matched the release as of 2027-01-15T07:00:00Z, not compared since: not reconciled yet since the server started',
    ]);
    const lacks = 'as of 2027-01-15T08:00:00Z, not compared since: helm was not found; run npm run helm';
    expect(driftOf({ ...base, status: matched, seen: { loops: LACKS, drift: { ...found, state: 'none' } } })[2]).toBe(
      `live objects matched the release ${lacks}`,
    );
    expect(driftOf({ ...base, status: upgraded, seen: { loops: LACKS, drift: found } })).toEqual([
      'drifted',
      'drifted',
      `2 fields differ ${lacks}`,
    ]);
    const later = (status: string, more: Given['seen'] = {}, spec: Fields = {}) => {
      const conditions = [{ type: 'Drifted', status, reason: 'R', message: '2 fields differ', lastTransitionTime: '2027-01-15T06:00:00Z' }];
      const wanted = { ...SPEC, driftDetection: { mode: 'warn' }, ...spec };
      return driftOf({ spec: wanted, status: released({ revision: COMMIT, conditions }), seen: more });
    };
    expect(later('False', { reconciles: looks })).toEqual(['in-sync', 'none', 'live objects match the release']);
    expect(later('False', { loops: LACKS, reconciles: looks })[2]).toBe(`live objects matched the release ${lacks}`);
    expect(later('True', { loops: LACKS })[2]).toBe(
      '2 fields differ as of 2027-01-15T06:00:00Z, not compared since: helm was not found; run npm run helm',
    );
    const hold = { by: 'ada', at: '2027-01-15T08:00:00Z', verb: 'hold', revision: null, reason: null, decision: 'd' } as const;
    expect(later('False', { reconciles: [look('held'), ...looks], hold } as Given['seen'])[2]).toBe(
      'live objects matched the release as of 2027-01-15T08:00:00Z, not compared since: held by ada: not installed or upgraded until the hold is lifted',
    );
    const gate = { required: 2, groups: [] };
    for (const reconciles of [[look('gated')], [look('gated'), ...looks]])
      expect(later('False', { reconciles, gate } as Given['seen'])[2]).toMatch(
        /not compared since: no commit is approved for it yet; a commit needs 2/,
      );
    expect(later('False', { reconciles: looks }, { suspend: true })[2]).toMatch(
      /^live objects matched the release as of .*, not compared since: it is sus/,
    );
  });

  it('[issue 12.1] tells the commit that people went back to, while the looks say that it is held and after a restart', () => {
    const first = { commit: 'f1457000f1457000', subject: 'the first chart', author: 'Ada', at: '2027-01-15T07:00:00Z' };
    const lastAct = { at: '2027-01-15T08:00:00Z', by: 'decision', outcome: 'rolled-back', revision: first.commit, commit: first };
    const isTold = { revision: first.commit, commit: first };
    const back = { status: released({ lastAct }) };
    expect(tell(back)).toMatchObject(isTold);
    expect(tell({ ...back, seen: { reconciles: [look('held')] } })).toMatchObject(isTold);
    const unknown = { status: released({ lastAct: { ...lastAct, revision: null, commit: null } }), seen: { reconciles: [look('held')] } };
    expect(tell(unknown)).toMatchObject({ revision: null, commit: null });
    // What is deployed and nobody told of may be of any commit.
    const stored = { lastAct: { ...lastAct, storedRevision: 3 } };
    const newest = (revision: number) => ({ revision, status: 'deployed' as const });
    expect(tell({ status: released(stored), seen: { newest: newest(3), reconciles: [look('held')] } })).toMatchObject(isTold);
    const byOthers = { status: released(stored), seen: { newest: newest(4), reconciles: [look('held')] } };
    expect(tell(byOthers)).toMatchObject({ revision: null, commit: null });
    // What was attempted since and failed is told, and no commit of it.
    const attempted = { status: released({ lastAct: { ...lastAct, outcome: 'upgraded' } }), seen: { reconciles: [look('held')] } };
    expect(tell(attempted)).toMatchObject({ revision: COMMIT, commit: null });
  });

  it('[issue 12.1] says which commit waits where a gated release was passed over or matches the one that is approved, and what comes once a hold is lifted', () => {
    const first = { commit: 'f1457000f1457000', chart: 'a', at: '2027-01-15T07:00:00Z', by: ['ada'] };
    const waiting = { commit: COMMIT, chart: 'b', subject: 'more', author: 'Ada', at: '2027-01-15T08:00:00Z' };
    const gate = { required: 1, groups: [], approved: first, waiting };
    for (const outcome of ['gated', 'equal', 'unmoved'] as const) {
      const gated = tell({ status: released(), seen: { gate, reconciles: [look(outcome)] } });
      expect(formatRelease(gated.upgrade)).toBe('commit c0ffee00 waits for approval; until then the release stays as it is');
    }
    const lifted = tell({ ...base, status: { releaseStatus: 'DEPLOYED' }, seen: { reconciles: [look('held')] } });
    expect([lifted.says.id, lifted.upgrade.id]).toEqual(['decided.lift', 'decided.lift']);
  });

  it('[issue 12.5] shows where the chart is without the credentials that somebody wrote there', () => {
    expect(JSON.stringify(tell({}).origin)).not.toContain('s3cret');
    const oci = { chart: { repository: 'oci://bot:s3cret@registry.example.com/charts?token=s3cret', name: 'web', version: '1.2.3' } };
    expect(tell({ spec: oci }).origin).toEqual({
      kind: 'repository',
      url: 'oci://registry.example.com/charts',
      name: 'web',
      version: '1.2.3',
    });
  });
});
