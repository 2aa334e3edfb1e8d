import { describe, expect, it, vi } from 'vitest';
import { readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { toInstant, toKubeTime } from '@/lib/std/instant';
import { ANSWER_KEPT_MS, MAX_KEPT, planDecisionCleanup } from '@/server/rollout/stage-decisions/plan-decision-cleanup';
import { EngineRig, NS } from './engine-rig';
import { aRolloutSpec } from './simulation';

// What becomes of decisions once they are answered (docs/decisions/0098-answered-decisions-go.md).

const HOUR = ANSWER_KEPT_MS;
const NOW = toInstant(Date.UTC(2026, 0, 2));

/** An answered decision about a rollout, made so many minutes ago and answered at once. */
function anAnswered(
  minutesAgo: number,
  { spec = {}, phase = 'Accepted' }: { readonly spec?: object; readonly phase?: string } = {},
): KubeObject {
  const at = toKubeTime(toInstant(NOW - minutesAgo * 60_000));
  return {
    ...KINDS.stageDecision,
    metadata: { name: `d-${minutesAgo}`, namespace: NS, uid: `u-${minutesAgo}`, creationTimestamp: at },
    spec: { rolloutRef: { name: 'web', uid: 'one' }, verb: 'pause', actor: { user: 'ann' }, ...spec },
    status: { phase, at },
  };
}

const names = (objects: readonly KubeObject[]) => objects.map(({ metadata }) => metadata.name);
const many = (count: number, from: number, more: { readonly spec?: object; readonly phase?: string } = {}) =>
  Array.from({ length: count }, (_, index) => anAnswered(from + index, more));
const there = () => true;
const gone = () => false;

describe('which answered decisions may go', () => {
  it('[issue 10] are those beyond the newest 50 about what is there, an hour after their answer, the oldest first', () => {
    const found = planDecisionCleanup(many(MAX_KEPT + 3, 100), there, NOW);
    expect(names(found.due)).toEqual(['d-152', 'd-151', 'd-150']);
    expect(planDecisionCleanup(many(MAX_KEPT, 100), there, NOW)).toEqual({ due: [], nextMs: undefined });
  });

  it('[issue 10] are the oldest in whatever order they are found, and of all that they are about the oldest first', () => {
    const one = many(MAX_KEPT + 2, 100);
    const two = many(MAX_KEPT + 2, 90, { spec: { rolloutRef: { name: 'api', uid: 'two' } } });
    const mixed = one.flatMap((decision, at) => [decision, two[at] ?? decision]);
    for (const found of [mixed, [...mixed].reverse(), [...two, ...one]])
      expect(names(planDecisionCleanup(found, there, NOW).due)).toEqual(['d-151', 'd-150', 'd-141', 'd-140']);
  });

  it('[issue 10] are counted from their answer and not from when they were made, where it says when it came', () => {
    const late = { ...anAnswered(180), status: { phase: 'Accepted', at: toKubeTime(toInstant(NOW - 10 * 60_000)) } };
    expect(planDecisionCleanup([late], gone, NOW)).toEqual({ due: [], nextMs: 50 * 60_000 });
    const undated = { ...anAnswered(180), status: { phase: 'Accepted' } };
    expect(names(planDecisionCleanup([undated], gone, NOW).due)).toEqual(['d-180']);
  });

  it('[issue 10] are all that do not say what they are about', () => {
    expect(names(planDecisionCleanup(many(2, 100, { spec: { rolloutRef: undefined } }), there, NOW).due)).toEqual(['d-101', 'd-100']);
  });

  it('[issue 10] are no younger than an hour, and it is told when the next one is as old', () => {
    const young = many(MAX_KEPT + 2, 1);
    expect(planDecisionCleanup(young, there, NOW)).toEqual({ due: [], nextMs: (60 - 52) * 60_000 });
    expect(names(planDecisionCleanup(young, there, toInstant(NOW + 8 * 60_000)).due)).toEqual(['d-52']);
    expect(planDecisionCleanup([anAnswered(59)], gone, NOW)).toEqual({ due: [], nextMs: 60_000 });
    expect(names(planDecisionCleanup([anAnswered(60)], gone, NOW).due)).toEqual(['d-60']);
  });

  it('[issue 10] are none that nobody has answered, and none that is going', () => {
    const waiting = [anAnswered(500, { phase: 'Pending' }), { ...anAnswered(501), status: {} }];
    const going = { ...anAnswered(502), metadata: { ...anAnswered(502).metadata, deletionTimestamp: toKubeTime(NOW) } };
    expect(planDecisionCleanup([...waiting, going], gone, NOW)).toEqual({ due: [], nextMs: undefined });
  });

  it('[issue 10] are all where what they were about is gone, or another one of its name is there', () => {
    const former = many(2, 100, { spec: { rolloutRef: { name: 'web', uid: 'former' } } });
    const found = planDecisionCleanup([...former, anAnswered(103)], ({ uid }) => uid === 'one', NOW);
    expect(names(found.due)).toEqual(['d-101', 'd-100']);
  });

  it.each<readonly [string, { readonly applicationRef?: object; readonly [member: string]: unknown }]>([
    ['one of an application', { rolloutRef: undefined, applicationRef: { name: 'web', uid: 'one' }, verb: 'approve' }],
    ['one that names what may go although a rule holds it', { verb: 'approve', garbage: { objects: ['ConfigMap/shop/old'] } }],
  ])('[issue 10] are not those by which a collection that waits may go: %s', (_which, spec) => {
    const bearing = anAnswered(900, { spec });
    const others = many(MAX_KEPT + 1, 100, spec.applicationRef !== undefined ? { spec, phase: 'Rejected' } : {});
    expect(names(planDecisionCleanup([...others, bearing], there, NOW).due)).toEqual(['d-150']);
    const refused = { ...bearing, status: { phase: 'Rejected', at: readString(bearing, 'status', 'at') } };
    expect(names(planDecisionCleanup([...others, refused], there, NOW).due)).toEqual(['d-900', 'd-150']);
    // They are bounded as well: without one of them more people are asked, never fewer.
    expect(names(planDecisionCleanup(many(MAX_KEPT + 1, 1000, { spec }), there, NOW).due)).toEqual(['d-1050']);
  });
});

/** A rollout of four stages that waits at the gate after its first, and wants two people at each. */
async function atGate(): Promise<EngineRig> {
  const rig = await new EngineRig().start();
  await rig.deploy('web-v1', 4);
  await rig.deploy('web-v2', 0);
  await rig.roll(
    aRolloutSpec('web-v1', 'web-v2', 4, { overConsumptionRatio: 25, control: { gates: 'every-stage', approvals: { required: 2 } } }),
  );
  await rig.clock.advance(60_000);
  return rig;
}

const decisionsOf = (rig: EngineRig) => rig.server.all().filter(({ kind }) => kind === 'StageDecision');

/** Somebody pauses and resumes again and again, so that everything older is beyond what stays. */
async function fill(rig: EngineRig): Promise<void> {
  for (let turn = 0; turn < MAX_KEPT / 2; turn++) {
    await rig.decide({ verb: 'pause' }, 'cid');
    await rig.decide({ verb: 'resume' }, 'cid');
    await rig.clock.advance(2000);
  }
}

describe('an answered decision', () => {
  it('[issue 10] goes once it is on record with all that it said; what it did stays, so a quorum that it is a part of counts it and its person once', async () => {
    await using rig = await atGate();
    const first = await rig.decide({ verb: 'approve', reason: 'looks good' }, 'ann');
    const { uid = '', name = '' } = first.metadata;
    await fill(rig);
    expect(rig.get(KINDS.stageDecision, name)).toBeDefined();
    await rig.clock.advance(HOUR + 60_000);
    expect(rig.get(KINDS.stageDecision, name)).toBeUndefined();
    expect(decisionsOf(rig)).toHaveLength(MAX_KEPT);
    expect(rig.record.get(uid)).toMatchObject({
      actor: 'ann',
      action: 'decision.approve',
      about: { kind: 'RolloutOrchestrator', namespace: NS, name: 'web' },
      data: {
        phase: 'Accepted',
        decision: name,
        stage: 1,
        revision: 'web-v2',
        reason: 'looks good',
        groups: [],
        rolloutUid: rig.rollout.metadata.uid,
      },
    });
    expect(await rig.decide({ verb: 'approve' }, 'ann')).toMatchObject({
      status: { phase: 'Rejected', message: 'ann has already approved the gate after stage 1; that approval counts (1 of 2)' },
    });
    expect(rig.told.completedStages).toBe(1);
    expect(await rig.decide({ verb: 'approve' }, 'ben')).toMatchObject({ status: { phase: 'Accepted' } });
    await rig.clock.advance(60_000);
    expect(rig.told.completedStages).toBe(2);
  });

  it('[issue 10] stays while the store does not say that it is on record, or nobody could put it there', async () => {
    await using rig = await atGate();
    rig.recordTells = false;
    rig.unrecorded = ({ action }) => action === 'decision.approve';
    await rig.decide({ verb: 'approve' }, 'ann');
    await rig.server.delete({ ...KINDS.rolloutOrchestrator, namespace: NS, name: 'web' });
    await rig.clock.advance(2 * HOUR);
    expect(decisionsOf(rig)).toHaveLength(1);
    rig.recordTells = true;
    await rig.clock.advance(2 * HOUR);
    expect(decisionsOf(rig)).toHaveLength(1);
    rig.unrecorded = undefined;
    await rig.clock.advance(2 * HOUR);
    expect([...rig.record.values()].filter(({ action }) => action === 'decision.approve')).toHaveLength(1);
    expect(decisionsOf(rig)).toEqual([]);
  });

  it('[issue 10] is put on record by whoever has it go, where who answered it did not come to that', async () => {
    await using rig = await new EngineRig().start();
    const at = toKubeTime(rig.clock.now());
    const metadata = { name: 'late', namespace: NS, uid: 'late', creationTimestamp: at };
    const spec = {
      applicationRef: { name: 'gone', uid: 'u' },
      verb: 'approve',
      actor: { user: 'ann', groups: ['ops'] },
      seen: { garbage: 'sha' },
    };
    rig.server.seed({ ...KINDS.stageDecision, metadata, spec, status: { phase: 'Accepted', message: '1 object may be deleted', at } });
    await rig.clock.advance(HOUR + 60_000);
    expect(rig.record.get('late')).toMatchObject({
      actor: 'ann',
      message: 'Accepted: 1 object may be deleted',
      about: { kind: 'StageDecision', name: 'late' },
    });
    expect(rig.record.get('late')?.data).toMatchObject({
      application: 'gone',
      applicationUid: 'u',
      groups: ['ops'],
      seen: { garbage: 'sha' },
    });
    expect(decisionsOf(rig)).toEqual([]);
  });

  it('[issue 10] goes only as it was looked at: one that was written again meanwhile is looked at again', async () => {
    await using rig = await atGate();
    const { uid, resourceVersion } = (await rig.decide({ verb: 'approve' }, 'ann')).metadata;
    await rig.server.delete({ ...KINDS.rolloutOrchestrator, namespace: NS, name: 'web' });
    rig.server.addFaults([{ verb: 'delete', kind: 'StageDecision', code: 409, times: 1 }]);
    const deleted = vi.spyOn(rig.server, 'delete');
    await rig.clock.advance(2 * HOUR);
    for (const [, options] of deleted.mock.calls) expect(options?.preconditions).toEqual({ uid, resourceVersion });
    const deletions = rig.server.requests.filter(({ verb, kind }) => verb === 'delete' && kind === 'StageDecision');
    expect(deletions.map(({ succeeded }) => succeeded)).toEqual([false, true]);
  });

  it('[issue 10] stays, and nothing else fails, where the server may not delete it', async () => {
    await using rig = await atGate();
    await rig.decide({ verb: 'approve' }, 'ann');
    await rig.server.delete({ ...KINDS.rolloutOrchestrator, namespace: NS, name: 'web' });
    rig.server.addFaults([{ verb: 'delete', kind: 'StageDecision', code: 403, times: 2 }]);
    await rig.clock.advance(HOUR + 5 * 60_000);
    expect(decisionsOf(rig)).toHaveLength(1);
    expect(rig.server.requests.filter(({ verb, kind }) => verb === 'delete' && kind === 'StageDecision')).toHaveLength(1);
    await rig.clock.advance(30 * 60_000);
    expect(decisionsOf(rig)).toEqual([]);
  });
});
