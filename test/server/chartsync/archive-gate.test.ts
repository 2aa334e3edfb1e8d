import { describe, expect, it } from 'vitest';
import type { ReleaseDecisionSpec } from '@/lib/contract/release-decision';
import type { KeptGate } from '@/lib/contract/release-gate';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { approversOf, evaluateArchive } from '@/server/chartsync/decisions/approvals';
import { ArchiveGate } from '@/server/chartsync/gate/archive-gate';
import { isPinned } from '@/server/chartsync/gate/pinned';
import type { ExtendedRelease } from '@/server/chartsync/model/declared';
import { readDeclared } from '@/server/chartsync/model/declared';
import type { ChartAt } from '@/server/chartsync/model/release';
import { ManualClock } from '../../support/manual-clock';
import { silentLog } from '../../support/silent-log';

const [A, B, C] = ['a', 'b', 'c'].map((digit) => digit.repeat(64)) as [string, string, string];
const chartAt = (revision: string, digest: string): ChartAt => ({ folder: '/chart', path: 'ledger', revision, digest });
const CHART = { kind: 'repository', repository: 'https://charts.example', name: 'ledger', version: '^1.0.0', secret: undefined } as const;
const RESOURCE = readDeclared({
  ...KINDS.helmRelease,
  metadata: { namespace: 'pay', name: 'ledger', uid: 'u' },
  spec: { chart: { repository: CHART.repository, name: CHART.name, version: CHART.version } },
}) as ExtendedRelease;

/** A gate that is kept in memory, before a repository in which each version leads to one archive. */
function aGate(archive: KeptGate['archive'], published: Readonly<Record<string, string>> = {}) {
  let kept: KeptGate = { required: 1, groups: [], archive };
  const gates = {
    of: () => kept,
    change: async (_resource: unknown, next: (gate: KeptGate) => KeptGate) => {
      kept = next(kept);
      return kept;
    },
  };
  const pull = async ({ version }: { readonly version: string }) => {
    const digest = published[version];
    if (digest === undefined) throw new Error(`no version ${version}`);
    return chartAt(version, digest);
  };
  const gate = new ArchiveGate({ gates: gates as never, sources: { pull }, clock: new ManualClock(), log: silentLog });
  const ask = (found: ChartAt, attempted: ChartAt | undefined, isChanged = false) =>
    gate.allowed(RESOURCE, CHART, { found, attempted: { revision: attempted?.revision, digest: attempted?.digest }, isChanged });
  return { ask, kept: () => kept.archive };
}

const isHeld = (version: string, attempted: string | undefined, revision: string) =>
  isPinned({ version }, { folder: '/chart', path: 'ledger', revision }, { revision: attempted, digest: undefined });

describe('a chart that is pulled, where approvals are required', () => {
  it.each([
    ['a newer version of its range', '^1.0.0', '1.0.0', '1.1.0'],
    ['an older one, where the newest was withdrawn', '^1.0.0', '1.1.0', '1.0.0'],
    ['a tag that was moved', '1.0.0', '1.0.0+e29eca64591b', '1.0.0+4fe8bf08673b'],
    ['any version at all', '', '1.0.0', '2.0.0'],
  ])('[issue 12.1] is not released by itself at %s', (_what, version, attempted, revision) => {
    expect(isHeld(version, attempted, revision)).toBe(true);
  });

  it.each([
    ['nothing was released yet', '^1.0.0', undefined, '1.1.0'],
    ['nothing moved', '1.0.0', '1.0.0+e29eca64591b', '1.0.0+e29eca64591b'],
    ['its resource asks for another version', '1.1.0', '1.0.0', '1.1.0'],
    ['its resource asks for another range', '~1.1', '1.0.0+e29eca64591b', '1.1.2+4fe8bf08673b'],
    ['it took its chart from git before', '^1.0.0', 'a'.repeat(40), '1.0.0'],
  ])('[issue 12.1] is released where %s', (_what, version, attempted, revision) => {
    expect(isHeld(version, attempted, revision)).toBe(false);
  });

  it('[issue 12.1] is kept at the archive of its first release, and waits at what its version leads to besides', async () => {
    const { ask, kept } = aGate(undefined);
    const first = chartAt('1.0.0', A);
    expect(await ask(first, undefined)).toEqual({ chart: first });
    expect(kept()).toMatchObject({ current: { revision: '1.0.0', digest: A, by: [] }, waiting: null });
    expect(await ask(chartAt('1.1.0', B), first)).toEqual({
      waits: 'version "^1.0.0" now resolves to 1.1.0 instead of 1.0.0; this needs 1 approval or a change of the resource',
    });
    expect(kept()).toMatchObject({ current: { digest: A }, waiting: { revision: '1.1.0', digest: B } });
    // Another archive of the same version, of which a foreign definition drops the digest in the status.
    expect(await ask(chartAt('1.0.0', C), { ...chartAt('1.0.0', ''), digest: undefined as never })).toEqual({
      waits: `version "^1.0.0" now resolves to archive sha256:${C.slice(0, 12)} of 1.0.0 instead of archive sha256:${A.slice(0, 12)}; this needs 1 approval or a change of the resource`,
    });
    expect(await ask(first, first)).toEqual({ chart: first });
    expect(kept()).toMatchObject({ current: { digest: A }, waiting: null });
    const changed = chartAt('1.1.0', B);
    expect(await ask(changed, first, true)).toEqual({ chart: changed });
    expect(kept()).toMatchObject({ current: { digest: B, by: [] }, waiting: null });
  });

  it('[issue 12.1] goes to exactly the archive that was approved, also where its version has moved on, or waits where that is gone', async () => {
    const current = { revision: '1.1.0', digest: B, at: '2026-01-01T00:00:00.000Z', by: ['ada'] };
    const there = aGate({ current }, { '1.1.0': B });
    expect(await there.ask(chartAt('1.1.0', B), chartAt('1.0.0', A))).toEqual({ chart: chartAt('1.1.0', B) });
    expect(await there.ask(chartAt('1.2.0', C), chartAt('1.0.0', A))).toEqual({ chart: chartAt('1.1.0', B) });
    expect(there.kept()).toMatchObject({ current, waiting: { revision: '1.2.0', digest: C } });
    expect(await there.ask(chartAt('1.2.0', C), chartAt('1.1.0', B))).toEqual({ waits: expect.stringContaining('now resolves to 1.2.0') });
    for (const published of [{}, { '1.1.0': C }]) {
      const gone = aGate({ current }, published);
      expect(await gone.ask(chartAt('1.2.0', C), chartAt('1.0.0', A))).toEqual({
        waits: expect.stringContaining(`; archive 1.1.0 (sha256:${B.slice(0, 12)}) was approved and is no longer published`),
      });
    }
  });
});

const REF = { kind: 'HelmRelease', name: 'ledger', uid: 'u' };
const gate: KeptGate = {
  required: 2,
  groups: [],
  archive: {
    current: { revision: '1.0.0', digest: A, at: '2026-01-01T00:00:00.000Z', by: [] },
    waiting: { revision: '1.1.0', digest: B, at: '2026-01-02T00:00:00.000Z' },
  },
};
const approval = (user: string, digest: string, chart = '1.1.0'): ReleaseDecisionSpec => ({
  releaseRef: REF,
  verb: 'approve',
  digest,
  seen: { chart },
  actor: { user, groups: [] },
});
const decided = (user: string, digest: string, at: string): KubeObject => ({
  ...KINDS.releaseDecision,
  metadata: { name: user },
  spec: approval(user, digest),
  status: { phase: 'Accepted', at },
});

describe('an approval of an archive', () => {
  it.each([
    ['counts for the one that waits', approval('ada', B), 'decided.approve-archive'],
    ['counts for no other', approval('ada', C), 'decided.archive-moved'],
    ['counts for no other version of it', approval('ada', B, '1.2.0'), 'decided.archive-moved'],
    ['counts not for the one that the release is at', approval('ada', A), 'decided.archive-already-approved'],
    ['counts once for each person', approval('bob', B), 'decided.approved-twice'],
  ])('[issue 12.1] %s', (_what, spec, id) => {
    expect(evaluateArchive(spec, { gate, approvers: ['bob'] }).says.id).toBe(id);
  });

  it('[issue 12.1] counts together with those of the same archive since the gate moved last', () => {
    const decisions = [
      decided('ada', B, '2026-01-03T00:00:00.000Z'),
      decided('bob', C, '2026-01-03T00:00:00.000Z'),
      decided('eve', B, '2025-12-31T00:00:00.000Z'),
    ];
    expect(approversOf(approval('zoe', B), gate, decisions)).toEqual(['ada']);
  });
});
