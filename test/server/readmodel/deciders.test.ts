import { describe, expect, it } from 'vitest';
import { KINDS } from '@/lib/kube/kinds';
import { toInstant } from '@/lib/std/instant';
import { formatRollout } from '@/lib/words/format-rollout';
import { describeRelease } from '@/server/chartsync';
import { readDeclared } from '@/server/chartsync/model/declared';
import { toReleaseDetail } from '@/server/readmodel/releases/release-detail';
import { toReleaseRow } from '@/server/readmodel/releases/release-row';
import { toRolloutRow } from '@/server/readmodel/rollouts/rollout-row';
import { EngineRig } from '../rollout/engine-rig';
import { aRolloutSpec } from '../rollout/simulation';

const NO_CONSEQUENCES = { messages: [], stages: [], replicas: [], peak: 0 };
const REFUSED = { allowed: false, why: { id: 'refused.nothing-looser' }, consequences: null } as const;

/** A rollout that waits at its first gate, under such approvals. */
async function atGate(approvals: object) {
  const rig = await new EngineRig().start();
  await rig.deploy('web-v1', 4);
  await rig.deploy('web-v2', 0);
  await rig.roll(aRolloutSpec('web-v1', 'web-v2', 4, { overConsumptionRatio: 50, control: { gates: 'every-stage', approvals } }));
  await rig.clock.advance(30_000);
  return rig;
}

const RELEASE = {
  ...KINDS.helmRelease,
  metadata: { namespace: 'shop', name: 'web', generation: 1 },
  spec: { chart: { git: 'https://git.example.com/a.git' } },
};

function tellRelease(required: number, groups: readonly (readonly string[])[], approvers: readonly string[] = []) {
  const told = describeRelease(
    {
      resource: readDeclared({ ...RELEASE, status: {} }),
      uid: 'u',
      holder: undefined,
      heir: undefined,
      hold: undefined,
      newest: undefined,
      revisions: undefined,
      drift: undefined,
      nextFetchAt: undefined,
      work: undefined,
      running: [],
      gate: {
        required,
        groups: groups.map((clause) => [...clause]),
        waiting: { commit: 'c0ffee', chart: 'd', subject: 'x', author: 'ann', at: '2027-01-15T08:00:00Z' },
      },
      approvers,
      webhook: undefined,
      reconciles: [],
      loops: { kind: 'running', since: toInstant(0), baseWaits: null, nextPassAt: toInstant(0) },
      standing: null,
      account: null,
    },
    toInstant(0),
  );
  return { object: RELEASE, kind: 'helmrelease', told } as const;
}

const rowOfRelease = (...gate: Parameters<typeof tellRelease>) => toReleaseRow(tellRelease(...gate));

describe('whom a row says it waits for', () => {
  it('[issue 10.2] of a looser policy at rest: not of who requested that, and of who requested the rollout', async () => {
    await using rig = await atGate({ allowSelf: false });
    const told = { ...rig.told, waitsFor: { ...rig.told.waitsFor, whom: 'person' as const } };
    const { approve, loosen } = told.acts;
    const asks = { groups: [], not: ['eve'], people: true };
    const allowed = { ...approve, ...loosen, allowed: true, why: null, asks, consequences: NO_CONSEQUENCES } as const;
    const acts = { ...told.acts, approve: { ...approve, ...REFUSED }, loosen: allowed };
    const { decider } = toRolloutRow({ object: rig.rollout, told: { ...told, acts }, lost: null, sentence: rig.sentence });
    expect(decider).toEqual({ verb: 'loosen', ...asks });
  });

  it.each([
    ['people, where two are wanted', { required: 2 }, { people: true }],
    ['people, where it must not be whoever asked for it', { required: 1, allowSelf: false }, { people: true }],
    ['anyone, where one decision will do', { required: 1 }, {}],
  ])('[issue 10.2] of a rollout: %s', async (_whom, approvals, more) => {
    await using rig = await atGate(approvals);
    const { decider } = toRolloutRow({ object: rig.rollout, told: rig.told, lost: null, sentence: rig.sentence });
    expect(decider).toEqual({ verb: 'approve', groups: [], not: [], ...more });
  });

  it('[issue 10.2] of a release: people where more than one is wanted, the groups that are named, and nobody twice', () => {
    expect(rowOfRelease(2, []).decider).toEqual({ verb: 'approve', groups: [], not: [], people: true });
    expect(rowOfRelease(1, []).decider).toEqual({ verb: 'approve', groups: [], not: [] });
    expect(rowOfRelease(2, [['leads', 'owners']], ['ann']).decider).toEqual({
      verb: 'approve',
      groups: ['leads', 'owners'],
      not: ['ann'],
      people: true,
    });
    expect(rowOfRelease(1, [['leads', 'owners'], ['sre'], ['ops']]).decider).toEqual({
      verb: 'approve',
      groups: ['leads', 'owners'],
      andGroups: [['sre'], ['ops']],
      not: [],
    });
  });

  it('[issue 12.4] of a release: who has approved and who is missing, in the same words in its row and on its page', () => {
    const released = tellRelease(2, [['leads', 'owners']], ['ann']);
    const deps = { journal: { about: () => [] }, engine: { mode: 'drive', why: null }, releases: { decisionsAbout: () => [] } } as const;
    const given = '1 of 2 approvals: ann; needs 1 more by a member of leads or owners';
    expect(toReleaseDetail(released, deps).gate?.given).toBe(given);
    expect(toReleaseRow(released).approval).toBe(`Commit c0ffee by ann waits for approval (${given}): x`);
  });

  it('[decision 0193] of a release: who has approved, which plan is outdated and which branch is gone, by both names', () => {
    const { told, ...release } = tellRelease(2, [], ['ann']);
    const goneBranch = { id: 'state.branch-gone', branch: 'side', revision: null } as const;
    const deps = { journal: { about: () => [] }, engine: { mode: 'drive', why: null }, releases: { decisionsAbout: () => [] } } as const;
    const detail = toReleaseDetail({ ...release, told: { ...told, goneBranch, outdatedPlan: 'it moved' } }, deps);
    expect(detail.gate).toMatchObject({ approvers: ['ann'], supporters: ['ann'] });
    expect(detail).toMatchObject({ outdatedPlan: 'It moved', planMoved: 'It moved' });
    expect(detail.goneBranch).toContain('side');
    expect(detail.lostBranch).toBe(detail.goneBranch);
  });

  it('[issue 14.1] is told beside the gate that the new pods crash, once', async () => {
    await using rig = await atGate({});
    const crash = { id: 'wait.workload-failed', revision: 'web-v2', why: '2 pods have failed' } as const;
    const sentenceOf = (waitsFor: typeof rig.told.waitsFor) =>
      toRolloutRow({ object: rig.rollout, told: { ...rig.told, waitsFor }, lost: null, sentence: formatRollout(waitsFor.message) })
        .sentence;
    const clause = { message: crash, met: false, evidence: null };
    const { waitsFor } = rig.told;
    expect(sentenceOf({ ...waitsFor, clauses: [...waitsFor.clauses, clause] })).toBe(
      `Waiting for 1 approval after stage 1; ${formatRollout(crash)}`,
    );
    expect(sentenceOf({ ...waitsFor, message: crash, clauses: [clause] }).match(/2 pods have failed/g)).toHaveLength(1);
  });
});
