import { expect, it } from 'vitest';
import { readField } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import { allowedActions, explainWait, rolloutDigest } from '@/server/rollout';
import { EngineRig } from './engine-rig';
import { aRolloutSpec } from './simulation';

async function atGate(control: object = { gates: 'every-stage' }): Promise<EngineRig> {
  const rig = await new EngineRig().start();
  await rig.deploy('web-v1', 4);
  await rig.deploy('web-v2', 0);
  await rig.roll(aRolloutSpec('web-v1', 'web-v2', 4, { overConsumptionRatio: 50, control }));
  await rig.clock.advance(30_000);
  return rig;
}

function objects(rig: EngineRig) {
  const of = (kind: string) => rig.server.all().filter((object) => object.kind === kind);
  return { rollout: rig.rollout, spas: of('StagePodAutoscaler'), workloads: of('Deployment'), now: rig.clock.now() };
}

function actionsOf(rig: EngineRig) {
  const { rollout, spas, workloads, now } = objects(rig);
  return Object.fromEntries(allowedActions(rollout, spas, workloads, now).map((action) => [action.verb, action]));
}

it('[design 9] says before the click what an approval does to replicas and traffic', async () => {
  await using rig = await atGate();
  expect(actionsOf(rig).approve).toEqual({
    verb: 'approve',
    allowed: true,
    why: null,
    consequences: [
      'Stage 2 begins.',
      'web-v1 goes from 2 to 0 replicas and from 50 % to 0 % of the traffic.',
      'web-v2 goes from 2 to 4 replicas and from 50 % to 100 % of the traffic.',
    ],
    needsReason: false,
    stage: 1,
    revision: 'web-v2',
    seen: { rollout: rolloutDigest(rig.rollout) },
  });
});

it('[design 9] says what an abort raises, keeps and takes away', async () => {
  await using rig = await atGate();
  expect(actionsOf(rig).abort?.consequences).toEqual([
    'web-v1 is raised before anything of web-v2 is taken away.',
    'web-v1 goes from 2 to 4 replicas and from 50 % to 100 % of the traffic.',
    'web-v2 goes from 2 to 0 replicas and from 50 % to 0 % of the traffic.',
    'Objects that both share, such as ConfigMaps and Services, go back to what web-v1 wants at once.',
    'The pods of web-v2 are kept for at least 30s, then its replicas go to 0.',
    'There is no new rollout to web-v2 until a retry or another change.',
  ]);
});

it('[design 9] says of every verb that is not possible now why it is not', async () => {
  await using rig = await atGate({});
  const actions = actionsOf(rig);
  expect(actions.approve?.why).toBe('rollout web is idle: nothing is under way');
  expect(actions.retry?.why).toBe('nothing was aborted that could be tried again');
  expect(actions.rollback).toMatchObject({ allowed: true, needsReason: true, revision: null });
});

it('[design 5] does with each action exactly what it said', async () => {
  await using rig = await atGate();
  const { approve } = actionsOf(rig);
  await rig.decide({ verb: 'approve', seen: { rollout: approve?.seen.rollout } });
  await rig.clock.advance(30_000);
  expect([rig.replicas('web-v1'), rig.replicas('web-v2')]).toEqual([0, 4]);
});

it('[rollout 15] explains a stage clause by clause, and its first open one in a sentence', async () => {
  await using rig = await new EngineRig().start();
  rig.broken.add('web-v2');
  await rig.deploy('web-v1', 4);
  await rig.deploy('web-v2', 0);
  await rig.roll(aRolloutSpec('web-v1', 'web-v2', 4, { overConsumptionRatio: 25 }));
  await rig.clock.advance(30_000);
  const { rollout, spas, workloads, now } = objects(rig);
  expect(explainWait(rollout, spas, workloads, now)).toEqual({
    sentence: 'stage 1 wants 1 ready replica of web-v2, has 0',
    clauses: [
      { text: 'stage 1 wants 1 ready replica of web-v2, has 0', met: false },
      { text: 'stage 1 wants at most 3 replicas of web-v1, has 4', met: false },
      { text: 'stage 1 waits for 0 terminating pods of web-v1 to go', met: true },
    ],
  });
});

it('[design 5] gives a rollout another digest when its target, stage, phase or policy changes, and the same one otherwise', async () => {
  await using rig = await atGate();
  const held = rolloutDigest(rig.rollout);
  await rig.clock.advance(3_600_000);
  expect(rolloutDigest(rig.rollout)).toBe(held);
  const { rollout } = rig;
  expect(rolloutDigest({ ...rollout, spec: { ...(rollout.spec as object), control: { gates: 'none' } } })).not.toBe(held);
  expect(rolloutDigest({ ...rollout, metadata: { ...rollout.metadata, uid: 'another' } })).not.toBe(held);
  await rig.decide({ verb: 'approve' });
  await rig.clock.advance(30_000);
  expect(rolloutDigest(rig.rollout)).not.toBe(held);
});

it('[rollout 14.2] counts a pod as ready only after minReadySeconds', async () => {
  await using rig = await new EngineRig().start();
  await rig.deploy('web-v1', 1);
  await rig.deploy('web-v2', 0);
  await rig.roll(aRolloutSpec('web-v1', 'web-v2', 1, { control: { minReadySeconds: 20 } }));
  await rig.clock.advance(3000);
  const since = new Date(rig.clock.now()).toISOString();
  const labels = { 'serving.knative.dev/revision': 'web-v2' };
  const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: since }] };
  rig.server.seed({ ...KINDS.pod, metadata: { name: 'new-a', namespace: 'shop', labels }, status });
  await rig.clock.advance(15_000);
  expect(readField(rig.get(KINDS.stagePodAutoscaler, 'web-v2'), 'status', 'actualScale')).toBe(0);
  expect(rig.replicas('web-v1')).toBe(1);
  await rig.clock.advance(15_000);
  expect(readField(rig.get(KINDS.stagePodAutoscaler, 'web-v2'), 'status', 'actualScale')).toBe(1);
  expect(rig.replicas('web-v1')).toBe(0);
});
