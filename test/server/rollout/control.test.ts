import { describe, expect, it } from 'vitest';
import { toInstant, toIso } from '@/lib/std/instant';
import { REVISION_LABEL } from '@/server/rollout/model';
import type { RevisionPod } from '@/server/rollout/objects';
import { readPod } from '@/server/rollout/objects';
import { anEntry, aSimulation, Simulation } from './simulation';

const replicasOf = (simulation: Simulation) =>
  Object.fromEntries([...simulation.deployments].map(([name, { replicas }]) => [name, replicas]));
const reasons = (simulation: Simulation) => simulation.control.pauseConditions.map(({ reason }) => reason);

function atGate(control: Readonly<Record<string, unknown>> = {}, more: Readonly<Record<string, unknown>> = {}): Simulation {
  const simulation = aSimulation(4, { overConsumptionRatio: 25, control: { gates: 'every-stage', ...control }, ...more });
  simulation.settle();
  return simulation;
}

/** A pod one of whose containers waits for a reason. */
function aPod(name: string, revision: string, reason: string, containers = 'containerStatuses'): RevisionPod {
  const status = { phase: 'Pending', [containers]: [{ name: 'web', state: { waiting: { reason } } }] };
  return readPod({ apiVersion: 'v1', kind: 'Pod', metadata: { name, labels: { [REVISION_LABEL]: revision } }, status });
}

describe('gates', () => {
  it('[rollout 14.5] holds after a completed stage and stays there, with the stage still complete', () => {
    const simulation = atGate();
    expect(simulation.control).toMatchObject({ phase: 'Paused', completedStages: 1, currentStageIndex: 1 });
    expect(reasons(simulation)).toEqual(['StageGate']);
    expect(simulation.sentence).toBe('waiting for 1 approval after stage 1');
    for (let turn = 0; turn < 5; turn++) simulation.pass();
    expect(simulation.condition('StageReady')).toBe('True');
  });

  it('[rollout 14.3] moves exactly one stage on for an approval', () => {
    const simulation = atGate();
    expect(simulation.decide({ verb: 'approve' })).toEqual({ phase: 'Accepted', message: 'approval 1 of 1 for stage 1: because' });
    simulation.settle();
    expect(simulation.control).toMatchObject({ completedStages: 2, phase: 'Paused' });
  });

  it('[rollout 14.2] stops at the first stage at or above a percent', () => {
    const simulation = aSimulation(4, { control: { gates: [{ atPercent: 40 }] }, overConsumptionRatio: 25 });
    simulation.settle();
    expect(simulation.control).toMatchObject({ completedStages: 2, reachedPercent: 50 });
    simulation.decide({ verb: 'approve' });
    simulation.settle();
    expect(simulation.control.phase).toBe('Healthy');
  });

  it('[rollout 14.2] opens a gate by itself after its duration', () => {
    const simulation = atGate({ pause: { duration: '2m' } });
    simulation.advance(119);
    simulation.settle();
    expect(simulation.control.completedStages).toBe(1);
    simulation.advance(2);
    simulation.settle();
    expect(simulation.control.completedStages).toBe(2);
  });

  it('[design 12.3] numbers the gate before the first stage 0', () => {
    const simulation = aSimulation(4, { control: { autoPromotionEnabled: false } });
    simulation.settle();
    expect(simulation.control).toMatchObject({ completedStages: 0, currentStageIndex: 0, phase: 'Paused', stageCount: 4 });
    expect(simulation.stage).toEqual([]);
    simulation.decide({ verb: 'approve', stage: 0 });
    simulation.settle();
    expect(simulation.control.phase).toBe('Healthy');
  });
});

describe('decisions', () => {
  it('[design 5] counts only for the stage and revision it names, and only while what was seen still holds', () => {
    const simulation = atGate();
    expect(simulation.decide({ verb: 'approve', stage: 0 }).message).toBe(
      'it was decided at stage 0, but the rollout has completed stage 1',
    );
    expect(simulation.decide({ verb: 'approve', revision: 'web-v9' }).message).toBe(
      'it was decided about web-v9, but the rollout goes to web-v2',
    );
    expect(simulation.decide({ verb: 'approve', seen: { rollout: 'other' } }).message).toBe(
      'the rollout has changed since it was reviewed; review it and decide again',
    );
    expect(simulation.decide({ verb: 'approve', rolloutRef: { name: 'web', uid: 'older' } }).phase).toBe('Rejected');
    expect(simulation.control.approvals).toEqual([]);
  });

  it('[design 5] expires', () => {
    const simulation = atGate();
    const expiresAt = toIso(toInstant(simulation.now - 5000));
    expect(simulation.decide({ verb: 'approve', expiresAt })).toEqual({
      phase: 'Expired',
      message: 'it expired 5s before it was evaluated, and nothing was done',
    });
  });

  it('[design 5] lets two clicks on one gate open one gate', () => {
    const simulation = atGate();
    const [first, second] = [simulation.decision({ verb: 'advance' }, 'ann'), simulation.decision({ verb: 'advance' }, 'ben')];
    simulation.pass([first]);
    simulation.settle();
    simulation.pass([second]);
    expect(simulation.verdicts.map(({ phase }) => phase)).toEqual(['Accepted', 'Rejected']);
    expect(simulation.control.completedStages).toBe(2);
  });

  it('[design 13 K] has its effect once when the answer was lost in a crash', () => {
    const simulation = atGate({ approvals: { required: 2 } });
    const decision = simulation.decision({ verb: 'approve' });
    simulation.pass([decision], 'status');
    simulation.pass([decision]);
    expect(simulation.verdicts).toEqual([
      { phase: 'Accepted', message: 'approval 1 of 2 for stage 1: because' },
      { phase: 'Accepted', message: 'approval 1 of 2 for stage 1: because' },
    ]);
    expect(simulation.control.approvals).toHaveLength(1);
  });

  it('[design 12.3] rejects an abort of an idle rollout, and every other verb that has nothing to act on', () => {
    const simulation = aSimulation(4);
    simulation.settle();
    for (const verb of ['abort', 'pause', 'approve', 'advance', 'promote-full'] as const) {
      expect(simulation.decide({ verb })).toEqual({ phase: 'Rejected', message: 'rollout web is idle: nothing is in progress' });
    }
    expect(simulation.decide({ verb: 'resume' }).message).toBe('the rollout is not paused');
    expect(simulation.decide({ verb: 'retry' }).message).toBe('there is no aborted rollout to retry');
  });

  it('[rollout 14.3] advance skips gate and soak of one stage, promote-full those of all', () => {
    const simulation = atGate({ requiredSoakTime: '10m' });
    simulation.decide({ verb: 'advance' });
    simulation.settle();
    expect(simulation.control.completedStages).toBe(2);
    simulation.decide({
      verb: 'promote-full',
      seen: { rollout: simulation.decision({ verb: 'approve' }).spec.seen?.rollout, garbage: 'plan-7' },
    });
    simulation.settle();
    expect(simulation.control).toMatchObject({ phase: 'Healthy', completedStages: 3, seenGarbage: 'plan-7' });
  });
});

describe('pause', () => {
  it('[rollout 14.5] undoes nothing, starts no second step, and lets no deadline run out', () => {
    const simulation = aSimulation(4, { stageTimeoutMinutes: 2, overConsumptionRatio: 25 });
    simulation.settleUntil('web-v2 has a pod', () => replicasOf(simulation)['web-v2'] === 1);
    const finish = simulation.spec.targetFinishTime;
    expect(simulation.decide({ verb: 'pause' }).phase).toBe('Accepted');
    simulation.advance(3600);
    simulation.settle();
    expect(replicasOf(simulation)).toEqual({ 'web-v1': 4, 'web-v2': 1 });
    expect(simulation.control).toMatchObject({ phase: 'Paused' });
    simulation.decide({ verb: 'resume' });
    expect(Date.parse(String(simulation.spec.targetFinishTime)) - Date.parse(String(finish))).toBe(3_600_000);
    simulation.settle();
    expect(replicasOf(simulation)).toEqual({ 'web-v1': 0, 'web-v2': 4 });
  });

  it('[design 5] is never refused because the view was stale', () => {
    const simulation = atGate();
    expect(simulation.decide({ verb: 'pause', seen: { rollout: 'something older' }, stage: 77 }).phase).toBe('Accepted');
    expect(reasons(simulation)).toEqual(['UserPaused']);
  });

  it('[design 12.3] holds as well when the spec says so', () => {
    const simulation = aSimulation(4, { paused: true });
    simulation.settle();
    expect(simulation.control).toMatchObject({ phase: 'Paused', completedStages: 0 });
    expect(simulation.decide({ verb: 'resume' }).message).toBe('the policy of the rollout pauses it; change the policy');
    simulation.change({ paused: false });
    simulation.settle();
    expect(simulation.control.phase).toBe('Healthy');
  });
});

describe('soak', () => {
  it('[rollout 14.5] keeps a completed stage for its time, and an approval supersedes it', () => {
    const simulation = aSimulation(4, { control: { requiredSoakTime: '10m' }, overConsumptionRatio: 25 });
    simulation.settle();
    expect(reasons(simulation)).toEqual(['SoakTime']);
    expect(simulation.sentence).toBe('stage 1 must stay healthy for 10m, until 2026-01-01T09:10:00Z');
    simulation.advance(600);
    simulation.settle();
    expect(simulation.control.completedStages).toBe(2);
    simulation.decide({ verb: 'approve' });
    simulation.settle();
    expect(simulation.control.completedStages).toBe(3);
  });
});

describe('abort', () => {
  function aborted(delay: Readonly<Record<string, unknown>> = {}): Simulation {
    const simulation = atGate(delay);
    simulation.decide({ verb: 'approve' });
    simulation.settle();
    expect(replicasOf(simulation)).toEqual({ 'web-v1': 2, 'web-v2': 2 });
    expect(simulation.decide({ verb: 'abort', reason: 'errors' }).message).toBe('aborts the rollout to web-v2: errors');
    return simulation;
  }

  it('[rollout 14.6] means now: the rejected pods go as soon as the stable side is ready, and not before', () => {
    const simulation = aborted();
    simulation.settlePods(['web-v1']);
    for (let turn = 0; turn < 4; turn++) simulation.pass();
    expect(replicasOf(simulation)).toEqual({ 'web-v1': 4, 'web-v2': 2 });
    expect(simulation.sentence).toBe('the abort: web-v1 has 2 of 4 ready replicas');
    expect(simulation.control.message).toBe('web-v2 is aborted: errors; web-v1 takes over again');
    simulation.settle();
    expect(replicasOf(simulation)).toEqual({ 'web-v1': 4, 'web-v2': 0 });
  });

  it('[rollout 14.6] raises the stable side first, keeps the rejected pods for their time, and stays degraded', () => {
    const simulation = aborted({ abortScaleDownDelaySeconds: 30 });
    simulation.settle();
    expect(replicasOf(simulation)).toEqual({ 'web-v1': 4, 'web-v2': 2 });
    expect(simulation.control.phase).toBe('Degraded');
    expect(simulation.sentence).toBe('web-v2 still serves: its pods are kept until 2026-01-01T09:00:30Z');
    simulation.advance(30);
    simulation.settle();
    expect(replicasOf(simulation)).toEqual({ 'web-v1': 4, 'web-v2': 0 });
    expect(simulation.control).toMatchObject({ phase: 'Degraded', rejectedRevision: 'web-v2', abortDone: true });
    expect(simulation.condition('Ready')).toBe('False');
    for (let turn = 0; turn < 5; turn++) simulation.pass();
    expect(simulation.condition('Ready')).toBe('False');
    expect(simulation.spec.targetRevisions).toMatchObject([{ revisionName: 'web-v2' }]);
  });

  it('[rollout 14.3] retries the rejected revision by the same gates', () => {
    const simulation = aborted();
    simulation.advance(30);
    simulation.settle();
    expect(simulation.decide({ verb: 'retry' }).phase).toBe('Accepted');
    simulation.settle();
    expect(simulation.control).toMatchObject({ phase: 'Paused', completedStages: 1, abort: false });
    expect(simulation.control.rejectedRevision).toBeUndefined();
    expect(replicasOf(simulation)).toEqual({ 'web-v1': 3, 'web-v2': 1 });
  });

  it('[rollout 14.3] retries while the way back is still under way, and takes the pods that are still there along', () => {
    const simulation = aborted({ abortScaleDownDelaySeconds: 30 });
    simulation.settle();
    expect(simulation.decide({ verb: 'retry' }).phase).toBe('Accepted');
    simulation.settle();
    expect(simulation.control).toMatchObject({ phase: 'Paused', completedStages: 1, abort: false });
    expect(replicasOf(simulation)).toEqual({ 'web-v1': 3, 'web-v2': 2 });
    simulation.decide({ verb: 'promote-full' });
    simulation.settle();
    expect(replicasOf(simulation)).toEqual({ 'web-v1': 0, 'web-v2': 4 });
    expect(simulation.control.phase).toBe('Healthy');
  });

  it('[design 13 B] ends with another target', () => {
    const simulation = aborted();
    simulation.advance(30);
    simulation.settle();
    simulation.deploy('web-v3', 0);
    simulation.change({ targetRevisions: [anEntry('web-v3', 4)] });
    simulation.settle();
    simulation.decide({ verb: 'promote-full' });
    simulation.settle();
    expect(replicasOf(simulation)).toEqual({ 'web-v1': 0, 'web-v2': 0, 'web-v3': 4 });
    expect(simulation.control).toMatchObject({ phase: 'Healthy', abort: false });
    expect(simulation.condition('Ready')).toBe('True');
  });

  it('[rollout 14.6] brings back a stable side that the last stage has emptied already', () => {
    const simulation = aSimulation(4, { overConsumptionRatio: 100, control: { progressDeadlineSeconds: 10 } });
    simulation.settleUntil('web-v1 shrinks', () => replicasOf(simulation)['web-v1'] === 0);
    simulation.decide({ verb: 'abort' });
    simulation.advance(31);
    simulation.settle();
    expect(replicasOf(simulation)).toEqual({ 'web-v1': 4, 'web-v2': 0 });
    expect(simulation.control.phase).toBe('Degraded');
  });

  it('[rollout 14.6] leaves the pods of a first deployment for inspection', () => {
    const simulation = new Simulation({ targetRevisions: [anEntry('web-v1', 3)] });
    simulation.deploy('web-v1', 0);
    simulation.pass();
    simulation.pass();
    expect(simulation.decide({ verb: 'abort' }).phase).toBe('Accepted');
    for (let turn = 0; turn < 5; turn++) simulation.pass();
    expect(replicasOf(simulation)).toEqual({ 'web-v1': 3 });
    expect(simulation.control).toMatchObject({ phase: 'Degraded', rejectedRevision: 'web-v1' });
  });

  it('[rollout 14.6] of a rollout held before its first stage touches nothing', () => {
    const simulation = aSimulation(4, { control: { autoPromotionEnabled: false } });
    simulation.settle();
    simulation.decide({ verb: 'abort' });
    simulation.settle();
    expect(replicasOf(simulation)).toEqual({ 'web-v1': 4, 'web-v2': 0 });
    expect(simulation.control).toMatchObject({ phase: 'Degraded', abortDone: true });
  });

  it('[design 14] comes to its end though the workload of the rejected revision was deleted, and its page says before that it is missing', () => {
    const simulation = aSimulation(6, { overConsumptionRatio: 34, control: { gates: 'every-stage' } });
    simulation.settle();
    simulation.deployments.delete('web-v2');
    simulation.pods = [aPod('web-v2-1', 'web-v2', 'ContainerCreating')];
    expect(simulation.told.waitsFor.clauses.map(({ message }) => message)).toContainEqual({
      id: 'wait.workload-missing',
      revision: 'web-v2',
    });
    simulation.decide({ verb: 'abort' });
    simulation.settle();
    // A pod that nobody owns any more still serves.
    expect(simulation.told.abort?.isReturned).toBe(false);
    simulation.pods = [];
    simulation.settle();
    expect(simulation.told).toMatchObject({ activity: 'aborted', abort: { isReturned: true } });
    expect(simulation.deployments.get('web-v1')?.ready).toBe(6);
  });
});

describe('health', () => {
  it('[rollout 14.7] aborts after more failed samples than the policy allows', () => {
    const simulation = atGate({ autoAbort: { failureLimit: 2, intervalSeconds: 10 } });
    simulation.failures.set('web-v2', '1 pod has failed: Containers in CrashLoop state: web');
    for (let sample = 0; sample < 3; sample++) {
      simulation.advance(10);
      simulation.pass();
    }
    expect(simulation.control).toMatchObject({ abort: true, rejectedRevision: 'web-v2' });
    expect(simulation.control.abortReason).toBe(
      '3 health samples failed; 2 are allowed: web-v2: 1 pod has failed: Containers in CrashLoop state: web',
    );
    expect(simulation.control.history.at(-1)).toMatchObject({ actor: 'slipway', action: 'rollout.aborted' });
  });

  it.each([
    ['an image that cannot be pulled', aPod('web-v2-a', 'web-v2', 'ImagePullBackOff'), 'ImagePullBackOff'],
    ['one of an init container', aPod('web-v2-a', 'web-v2', 'ErrImageNeverPull', 'initContainerStatuses'), 'ErrImageNeverPull'],
  ])('[rollout 14.7] counts %s, though the pod is in progress', (_what, pod, reason) => {
    const simulation = atGate({ autoAbort: { failureLimit: 0, intervalSeconds: 10 } });
    simulation.pods = [aPod('web-v2-b', 'web-v2', 'ContainerCreating')];
    simulation.advance(10);
    simulation.pass();
    expect(simulation.control.abort).toBe(false);
    simulation.pods = [pod];
    simulation.advance(10);
    simulation.pass();
    expect(simulation.control.abortReason).toBe(`1 health samples failed; 0 are allowed: pod web-v2-a waits in ${reason}`);
  });

  it('[rollout 14.2] pauses, and does not abort, when health cannot be read', () => {
    const simulation = aSimulation(4, {
      overConsumptionRatio: 25,
      control: { gates: 'every-stage', autoAbort: { failureLimit: 0, consecutiveErrorLimit: 2 } },
    });
    simulation.settle();
    simulation.readable = false;
    for (let sample = 0; sample < 4; sample++) {
      simulation.advance(10);
      simulation.pass();
    }
    simulation.decide({ verb: 'approve' });
    simulation.pass();
    expect(reasons(simulation)).toEqual(['HealthUnknown']);
    expect(simulation.control.abort).toBe(false);
  });

  it('[rollout 14.2] marks a stage without progress degraded, and goes on when it moves again', () => {
    const simulation = aSimulation(4, { control: { progressDeadlineSeconds: 60 } });
    for (let turn = 0; turn < 5; turn++) simulation.pass();
    simulation.advance(61);
    simulation.pass();
    expect(simulation.control).toMatchObject({ phase: 'Degraded', abort: false });
    expect(simulation.sentence).toBe('stage 1 has made no progress for 60 s: stage 1: web-v2 has 0 of 1 ready replica');
    simulation.settle();
    expect(simulation.control.phase).toBe('Healthy');
  });

  it('[rollout 14.2] aborts a stage without progress when the policy says so', () => {
    const simulation = aSimulation(4, { control: { progressDeadlineSeconds: 60, progressDeadlineAbort: true } });
    for (let turn = 0; turn < 5; turn++) simulation.pass();
    simulation.advance(61);
    simulation.pass();
    expect(simulation.control).toMatchObject({ abort: true, abortReason: 'stage 1 has made no progress for 60 s' });
  });

  it('[rollout T24] looks at an overdue stage when its deadline passes, not a whole period later', () => {
    const simulation = aSimulation(4, { stageTimeoutMinutes: 2 });
    for (let turn = 0; turn < 4; turn++) simulation.pass();
    simulation.advance(90);
    expect(simulation.pass().requeueAfterMs).toBeLessThanOrEqual(30_001);
  });
});
