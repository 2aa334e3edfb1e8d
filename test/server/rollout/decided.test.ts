import { describe, expect, it } from 'vitest';
import { readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { toInstant, toKubeTime } from '@/lib/std/instant';
import { toDecisionEntry } from '@/server/rollout';
import { aRolloutUnderWay, EngineRig, NS } from './engine-rig';
import { aRolloutSpec } from './simulation';

const GATED = aRolloutSpec('web-v1', 'web-v2', 4, { overConsumptionRatio: 50, control: { gates: 'every-stage' } });
const OTHER_CONTROLLER = 'another controller writes RolloutOrchestrators';
const OTHER_VELA = 'another controller writes Applications';

/** A rollout that waits at the gate after its first stage. */
async function atGate(): Promise<EngineRig> {
  const rig = await aRolloutUnderWay(GATED);
  expect(rig.told.activity).toBe('waiting');
  return rig;
}

const statusOf = ({ status }: KubeObject) => [readString({ status }, 'status', 'phase'), readString({ status }, 'status', 'message')];
const ofApplication = { verb: 'approve', rolloutRef: undefined, applicationRef: { name: 'web', uid: 'a' } } as const;
const entriesOf = (rig: EngineRig) => [...rig.record.values()].filter(({ action }) => action.startsWith('decision.'));

describe('a decision while an engine does not drive', () => {
  it('[design 13 K] is rejected with the reason where that engine would judge it, and only there', async () => {
    await using rig = await atGate();
    rig.idle.rollout = OTHER_CONTROLLER;
    expect(statusOf(await rig.decide({ verb: 'pause' }))).toEqual(['Rejected', OTHER_CONTROLLER]);
    expect((await rig.decide(ofApplication)).status).toBeUndefined();
    rig.idle.rollout = null;
    rig.idle.application = OTHER_VELA;
    expect(statusOf(await rig.decide(ofApplication))).toEqual(['Rejected', OTHER_VELA]);
    expect(statusOf(await rig.decide({ verb: 'pause' }))[0]).toBe('Accepted');
  });

  it('[design 13 K] that waits when it stops is rejected ten seconds later, and what was answered before stays as it was', async () => {
    await using rig = await atGate();
    const accepted = await rig.decide({ verb: 'pause' });
    const waiting = await rig.decide(ofApplication);
    rig.idle.rollout = OTHER_CONTROLLER;
    rig.idle.application = OTHER_VELA;
    const statusNow = ({ metadata: { name = '' } }: KubeObject) => statusOf(rig.get(KINDS.stageDecision, name) ?? ({} as KubeObject));
    await rig.clock.advance(9_000);
    expect(statusNow(waiting)[0]).toBeUndefined();
    await rig.clock.advance(1_000);
    expect(statusNow(waiting)).toEqual(['Rejected', OTHER_VELA]);
    await rig.restart();
    expect(statusNow(accepted)).toEqual(statusOf(accepted));
    expect(statusNow(accepted)[0]).toBe('Accepted');
    const sent = [...rig.sent];
    for (const { metadata } of [waiting, accepted])
      await rig.server.delete({ ...KINDS.stageDecision, namespace: NS, name: metadata.name ?? '' });
    await rig.clock.advance(20_000);
    expect([rig.sent, rig.failures]).toEqual([sent, 0]); // nothing is answered that is gone
  });

  it('[design 14] is rejected by the engine of rollouts where it is a rollback that nobody would carry out, and nothing else is', async () => {
    await using rig = await atGate();
    const rollback = { verb: 'rollback', revision: 'web-v1' } as const;
    expect((await rig.decide(rollback)).status).toBeUndefined();
    rig.idle.application = OTHER_VELA;
    expect(statusOf(await rig.decide(rollback))).toEqual(['Rejected', OTHER_VELA]);
    expect(statusOf(await rig.decide({ verb: 'approve' }))[0]).toBe('Accepted');
  });
});

describe('a decision that no rollout judges', () => {
  it('[design 5] waits where its rollout is there and the copy has not heard of it, and is judged once it has', async () => {
    await using rig = await new EngineRig().start();
    await rig.deploy('web-v1', 4);
    await rig.deploy('web-v2', 0);
    rig.informers.fall('RolloutOrchestrator', 'behind');
    await rig.roll({ ...GATED, paused: true });
    const decision = await rig.decide({ verb: 'abort', stage: 0, revision: 'web-v2', seen: undefined });
    expect(decision.status).toBeUndefined();
    rig.informers.recover();
    await rig.clock.advance(1_000);
    expect(rig.get(KINDS.stageDecision, decision.metadata.name ?? '')?.status).toBeDefined();
  });

  it.each([
    ['no known verb', { verb: 'destroy' as 'pause' }],
    ['nobody who decides', { actor: undefined as never }],
    ['nothing that it is about', { rolloutRef: undefined }],
  ])('[design 5] is rejected with what it needs where it has %s', async (_what, wrong) => {
    await using rig = await atGate();
    expect(statusOf(await rig.decide({ verb: 'pause', ...wrong }))).toEqual([
      'Rejected',
      'the decision cannot be read: it needs a rollout, a known verb and an actor',
    ]);
    expect(rig.told.activity).toBe('waiting');
  });

  it('[design 13 G] is none of those that name a rollout beside their application: they are judged with it', async () => {
    await using rig = await atGate();
    expect(statusOf(await rig.decide({ verb: 'pause', applicationRef: { name: 'web', uid: 'a' } }))[0]).toBe('Accepted');
    expect(entriesOf(rig).map(({ about }) => about)).toEqual([{ ...KINDS.rolloutOrchestrator, namespace: NS, name: 'web' }]);
  });
});

describe('an answered decision', () => {
  it('[design 13 J] is put on record once by its uid, and one of the same name that comes after it as well', async () => {
    await using rig = await atGate();
    const first = await rig.decide({ verb: 'pause' });
    const offered = () => rig.order.filter((line) => line.startsWith('record decision.'));
    expect(offered()).toEqual(['record decision.pause']);
    const stored = rig.get(KINDS.stageDecision, first.metadata.name ?? '');
    if (stored === undefined) throw new Error('the decision is gone');
    await rig.server.update({ ...stored, metadata: { ...stored.metadata, labels: { team: 'red' } } });
    await rig.clock.advance(1_000);
    expect(offered()).toEqual(['record decision.pause']);
    await rig.server.delete({ ...KINDS.stageDecision, namespace: NS, name: first.metadata.name ?? '' });
    await rig.clock.advance(1_000);
    expect(rig.failures).toBe(0);
    const { uid: _uid, resourceVersion: _version, ...metadata } = stored.metadata;
    const { status: _status, ...again } = stored;
    await rig.server.create({ ...again, metadata, spec: { ...(stored.spec as object), verb: 'resume' } });
    await rig.clock.advance(1_000);
    expect(offered()).toEqual(['record decision.pause', 'record decision.resume']);
    expect(entriesOf(rig)[0]?.id).toBe(first.metadata.uid);
  });

  it('[design 13 J] is put on record as well where it was made again under its name before anybody heard that the first one went', async () => {
    await using rig = await atGate();
    const { metadata } = await rig.decide({ verb: 'pause' });
    const { name = '' } = metadata;
    const stored = rig.get(KINDS.stageDecision, name);
    rig.informers.fall('StageDecision', 'behind');
    await rig.server.delete({ ...KINDS.stageDecision, namespace: NS, name });
    const again = {
      ...KINDS.stageDecision,
      metadata: { name, namespace: NS, uid: 'made-again' },
      spec: { ...(stored?.spec as object), verb: 'resume' },
    };
    rig.server.seed(again);
    rig.informers.recover();
    await rig.clock.advance(1_000);
    expect(entriesOf(rig).map(({ action }) => action)).toEqual(['decision.pause', 'decision.resume']);
    expect(new Set(entriesOf(rig).map(({ id }) => id)).size).toBe(2);
  });

  it('[design 13 J] stands there with all that it said, where it is about a rollout, about an application, or cannot be read', () => {
    const at = toInstant(Date.UTC(2026, 0, 2, 9));
    const now = toInstant(Date.UTC(2026, 0, 2, 10));
    const of = (spec: object, status: object, more: object = {}): KubeObject => ({
      ...KINDS.stageDecision,
      metadata: { name: 'd', namespace: NS, uid: 'u', creationTimestamp: toKubeTime(at), ...more },
      spec: { actor: { user: 'ann', groups: ['ops'] }, verb: 'approve', reason: 'seen', ...spec },
      status,
    });
    const answered = { phase: 'Accepted', message: 'approval 1 of 1', at: toKubeTime(at) };
    const rolloutRef = { name: 'web', uid: 'r' };
    const applicationRef = { name: 'web', uid: 'a' };
    const said = { phase: 'Accepted', decision: 'd', createdAt: toKubeTime(at), groups: ['ops'], reason: 'seen' };
    expect(toDecisionEntry(of({ rolloutRef, stage: 2 }, answered), now)).toEqual({
      id: 'u',
      at,
      actor: 'ann',
      action: 'decision.approve',
      about: { ...KINDS.rolloutOrchestrator, namespace: NS, name: 'web' },
      message: 'Accepted: approval 1 of 1',
      data: { ...said, rolloutUid: 'r', stage: 2 },
    });
    expect(toDecisionEntry(of({ applicationRef }, { phase: 'Accepted' }), now)).toEqual({
      id: 'u',
      at: now,
      actor: 'ann',
      action: 'decision.approve',
      about: { ...KINDS.stageDecision, namespace: NS, name: 'd' },
      message: 'Accepted: ',
      data: { ...said, application: 'web', applicationUid: 'a' },
    });
    expect(toDecisionEntry(of({ rolloutRef, applicationRef }, answered), now)).toMatchObject({
      about: { kind: 'RolloutOrchestrator', name: 'web' },
      data: { rolloutUid: 'r', application: 'web', applicationUid: 'a' },
    });
    expect(toDecisionEntry(of({ rolloutRef, verb: 'destroy' }, { phase: 'Rejected' }), now)).toEqual({
      id: 'u',
      at: now,
      actor: 'unknown',
      action: 'decision.unreadable',
      about: { ...KINDS.rolloutOrchestrator, namespace: NS, name: 'web' },
      message: 'Rejected: ',
      data: { phase: 'Rejected', decision: 'd', createdAt: toKubeTime(at), groups: undefined },
    });
  });
});
