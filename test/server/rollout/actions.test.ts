import { expect, it } from 'vitest';
import type { DecisionVerb } from '@/lib/contract/stage-decision';
import { readField } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { formatRollout } from '@/lib/words/format-rollout';
import type { RolloutDescription } from '@/server/rollout';
import { describeRollout, observeObjects, rolloutDigest } from '@/server/rollout';
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

const consequencesOf = ({ acts }: RolloutDescription, verb: DecisionVerb) => acts[verb].consequences?.messages.map(formatRollout);
const CRASHING = '2 pods have failed: Containers in CrashLoop state: web';
const CRASHES = `Deployment web-v2: ${CRASHING}`;

/** Everything of a rig's rollout. */
function observed({ server, rollout, clock }: EngineRig) {
  const of = (kind: string) => server.all().filter((object) => object.kind === kind);
  return (as: KubeObject = rollout) =>
    observeObjects({ rollout: as, autoscalers: of('StagePodAutoscaler'), workloads: of('Deployment'), pods: of('Pod') }, clock.now());
}

const owned = (rollout: KubeObject) => ({
  ...rollout,
  metadata: { ...rollout.metadata, ownerReferences: [{ ...KINDS.application, name: 'web', uid: 'app-uid', controller: true }] },
});

/** As it would be told if an application had it. */
const describeOwned = (rig: EngineRig) => describeRollout(observed(rig)(owned(rig.rollout)), rig.clock.now());

/** As it is told where the computed status of a workload says that it has failed. */
function describeFailing(rig: EngineRig, name: string): RolloutDescription {
  const { view } = observed(rig)();
  const workloads = new Map(
    [...view.workloads].map(([key, workload]) => [key, key === name ? { ...workload, failure: CRASHING } : workload]),
  );
  return describeRollout({ view: { ...view, workloads } }, rig.clock.now());
}

const refusalReason = ({ acts }: RolloutDescription, verb: DecisionVerb) =>
  acts[verb].why === null ? null : formatRollout(acts[verb].why);

it('[design 9] says before the click what an approval does to replicas and traffic', async () => {
  await using rig = await atGate();
  const { acts, digest } = rig.told;
  expect(acts.approve).toMatchObject({ verb: 'approve', allowed: true, why: null, needsReason: false, stage: 1, revision: 'web-v2' });
  expect(digest).toBe(rolloutDigest(rig.rollout));
  expect(consequencesOf(rig.told, 'approve')).toEqual([
    'Stage 2 begins.',
    'web-v1 goes from 2 to 0 replicas and from 50% to 0% of the traffic, by pod ratio.',
    'web-v2 goes from 2 to 4 replicas and from 50% to 100% of the traffic, by pod ratio.',
  ]);
});

it('[design 9] says what an abort raises, keeps and takes away', async () => {
  await using rig = await atGate({ gates: 'every-stage', abortScaleDownDelaySeconds: 30 });
  expect(consequencesOf(rig.told, 'abort')).toEqual([
    'web-v1 is scaled up before web-v2 is scaled down.',
    'web-v1 goes from 2 to 4 replicas and from 50% to 100% of the traffic, by pod ratio.',
    'web-v2 goes from 2 to 0 replicas and from 50% to 0% of the traffic, by pod ratio.',
    'web-v2 still serves for at least 30s, then is scaled to 0 once web-v1 has its ready replicas.',
    'web-v2 is not rolled out again until a retry or another change.',
  ]);
});

it('[issue 9.3] promises that shared objects go back only where an application puts them back', async () => {
  await using rig = await atGate();
  const shared = 'Shared objects, such as ConfigMaps and Services, return to those of web-v1 at once.';
  expect(consequencesOf(rig.told, 'abort')).not.toContain(shared);
  expect(consequencesOf(describeOwned(rig), 'abort')).toContain(shared);
});

it('[issue 9.3] says of a pause and of a rollback no replicas: the one moves nothing, the other is planned when its revision is there', async () => {
  await using rig = await atGate();
  const { acts } = describeOwned(rig);
  expect(acts.approve.consequences?.replicas).toHaveLength(2);
  expect(acts.pause.consequences?.replicas).toEqual([]);
  expect(acts.rollback).toMatchObject({ allowed: true, consequences: { replicas: [], stages: [] } });
});

it('[issue 9.3] says what an abort takes away of pods that never became ready', async () => {
  await using rig = await new EngineRig().start();
  rig.broken.add('web-v2');
  await rig.deploy('web-v1', 4);
  await rig.deploy('web-v2', 0);
  await rig.roll(aRolloutSpec('web-v1', 'web-v2', 4, { overConsumptionRatio: 50 }));
  await rig.clock.advance(30_000);
  expect(consequencesOf(rig.told, 'abort')).toContain('web-v2 goes from 2 to 0 replicas and still gets no traffic.');
});

it('[issue 14.2] speaks of ready replicas where the replicas beside stay as they are', async () => {
  await using rig = await new EngineRig().start();
  rig.broken.add('web-v2');
  await rig.deploy('web-v1', 4);
  await rig.deploy('web-v2', 0);
  await rig.roll(aRolloutSpec('web-v1', 'web-v2', 4, { overConsumptionRatio: 100 }));
  await rig.clock.advance(30_000);
  const { consequences } = rig.told.acts['promote-full'];
  expect(consequences?.replicas).toContainEqual({ revision: 'web-v2', now: 4, next: 4, end: 4, exact: 'exactly' });
  expect(consequencesOf(rig.told, 'promote-full')).toContain(
    'web-v2 goes from 0 to 4 ready replicas and from 0% to 100% of the traffic, by pod ratio.',
  );
});

it('[issue 9.1] tells a workload that has failed with the sentence of its status, first where it keeps a stage from its end', async () => {
  await using rig = await new EngineRig().start();
  rig.broken.add('web-v2');
  await rig.deploy('web-v1', 4);
  await rig.deploy('web-v2', 0);
  await rig.roll(aRolloutSpec('web-v1', 'web-v2', 4, { overConsumptionRatio: 50, control: { gates: 'every-stage' } }));
  await rig.clock.advance(30_000);
  expect(formatRollout(describeFailing(rig, 'web-v2').waitsFor.message)).toBe(CRASHES);
});

it('[issue 9.1] tells whoever decides at a gate that a workload has failed meanwhile', async () => {
  await using rig = await atGate();
  const { message, clauses } = describeFailing(rig, 'web-v2').waitsFor;
  expect(message.id).toBe('wait.gate');
  expect(clauses.map((clause) => [formatRollout(clause.message), clause.met]).at(-1)).toEqual([CRASHES, false]);
});

it('[design 9] says of every verb that is not possible now why it is not', async () => {
  await using rig = await atGate({});
  expect(refusalReason(rig.told, 'approve')).toBe('rollout web is idle: nothing is in progress');
  expect(refusalReason(rig.told, 'retry')).toBe('there is no aborted rollout to retry');
  expect(refusalReason(rig.told, 'rollback')).toBe(
    'a rollback changes the application, and this rollout has none; change its target instead',
  );
});

it('[design 14] offers a rollback of an application’s rollout to where it comes from, and says so where it comes from nowhere', async () => {
  await using rig = await atGate({});
  const described = (rollout: KubeObject) =>
    describeRollout(observeObjects({ rollout, autoscalers: [], workloads: [] }, rig.clock.now()), rig.clock.now());
  expect(described(owned(rig.rollout)).acts.rollback).toMatchObject({ allowed: true, needsReason: true, revision: 'web-v1' });
  const first = { ...owned(rig.rollout), spec: { targetRevisions: [{ revisionName: 'web-v1', percent: 100 }] }, status: {} };
  expect(refusalReason(described(first), 'rollback')).toBe('there is no earlier revision to return to');
});

it('[design 5] does with each action exactly what it said', async () => {
  await using rig = await atGate();
  await rig.decide({ verb: 'approve', seen: { rollout: rig.told.digest } });
  await rig.clock.advance(30_000);
  expect([rig.replicas('web-v1'), rig.replicas('web-v2')]).toEqual([0, 4]);
});

it('[rollout 15] explains a stage clause by clause, and its first open one in a sentence', async () => {
  await using rig = await new EngineRig().start();
  rig.broken.add('web-v2');
  await rig.deploy('web-v1', 4);
  await rig.deploy('web-v2', 0);
  await rig.roll(aRolloutSpec('web-v1', 'web-v2', 4, { overConsumptionRatio: 25, overlap: false }));
  await rig.clock.advance(30_000);
  const { message, clauses } = rig.told.waitsFor;
  expect(formatRollout(message)).toBe('stage 1: web-v2 has 0 of 1 ready replica');
  expect(clauses.map(({ message: clause, met }) => [formatRollout(clause), met])).toEqual([
    ['stage 1: web-v2 has 0 of 1 ready replica', false],
    ['stage 1: web-v1 still has 4 replicas, at most 3 allowed', false],
    ['no pod of web-v1 is terminating', true],
  ]);
  expect(clauses[0]?.evidence).toEqual({ kind: 'Deployment', name: 'web-v2', field: 'status.readyReplicas' });
  // Where stages overlap, nobody waits for what terminates.
  await rig.roll({ overlap: true });
  expect(rig.told.waitsFor.clauses.map(({ message: clause }) => clause.id)).toEqual(['wait.grow', 'wait.shrink']);
});

it('[design 5] gives a rollout another digest when its target, stage, phase or policy changes, and the same one otherwise', async () => {
  await using rig = await atGate();
  const held = rolloutDigest(rig.rollout);
  await rig.clock.advance(3_600_000);
  expect(rolloutDigest(rig.rollout)).toBe(held);
  const { rollout } = rig;
  expect(rolloutDigest({ ...rollout, spec: { ...(rollout.spec as object), control: { gates: 'none' } } })).not.toBe(held);
  expect(rolloutDigest({ ...rollout, spec: { ...(rollout.spec as object), paused: true } }), 'paused by its spec').not.toBe(held);
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
