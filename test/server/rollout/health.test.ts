import { describe, expect, it } from 'vitest';
import type { KubeObject } from '@/lib/kube/object';
import { toInstant } from '@/lib/std/instant';
import { abortOf } from '@/server/rollout/control/control-facts';
import { sampleHealth } from '@/server/rollout/control/health';
import { completeSince, isGone } from '@/server/rollout/control/view';
import { REVISION_LABEL } from '@/server/rollout/model';
import type { RevisionPod } from '@/server/rollout/objects';
import { readPod } from '@/server/rollout/objects';
import type { Simulation } from './simulation';
import { anEntry, aSimulation } from './simulation';

/** A rollout at the gate after its first stage, whose new revision is looked at every ten seconds. */
function sampled(autoAbort: Readonly<Record<string, unknown>>, control: Readonly<Record<string, unknown>> = {}): Simulation {
  const simulation = aSimulation(4, { overConsumptionRatio: 25, control: { gates: 'every-stage', autoAbort, ...control } });
  simulation.settle();
  expect(simulation.control.completedStages).toBe(1);
  return simulation;
}

function aPod({ revision = 'web-v2', restarts = 0, reason = '', going = false }): RevisionPod {
  const metadata: KubeObject['metadata'] = { name: `${revision}-a`, labels: { [REVISION_LABEL]: revision } };
  const container = { name: 'web', restartCount: restarts, ...(reason === '' ? {} : { state: { waiting: { reason } } }) };
  return readPod({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: going ? { ...metadata, deletionTimestamp: '2026-01-01T09:00:00Z' } : metadata,
    status: { phase: 'Pending', containerStatuses: [container] },
  });
}

const isAborted = ({ stored }: Simulation) => abortOf(stored) !== undefined;
const reasons = ({ control }: Simulation) => control.pauseConditions.map(({ reason }) => reason);

describe('samples of the new revision', () => {
  it('[rollout 14.7] are taken at their interval, however often the rollout is looked at, and one more than allowed aborts', () => {
    const simulation = sampled({ failureLimit: 2, intervalSeconds: 10 });
    simulation.pods = [aPod({ reason: 'ImagePullBackOff' })];
    for (const seconds of [0, 9, 1, 9]) {
      simulation.advance(seconds);
      for (let turn = 0; turn < 3; turn++) simulation.pass();
      expect(isAborted(simulation)).toBe(false);
    }
    simulation.advance(1);
    expect(simulation.pass().control?.state).toBe('returning');
    expect(simulation.control.abortReason).toBe('3 health samples failed; 2 are allowed: pod web-v2-a waits in ImagePullBackOff');
  });

  it('[rollout 14.7] are asked for when the next one is due', () => {
    const simulation = sampled({ failureLimit: 2, intervalSeconds: 10 });
    simulation.pods = [aPod({ reason: 'ImagePullBackOff' })];
    expect(simulation.pass().requeueAfterMs).toBe(10_000);
    simulation.advance(4);
    expect(simulation.pass().requeueAfterMs).toBe(6000);
  });

  it.each<[string, Parameters<typeof aPod>[0], boolean]>([
    ['three restarts', { restarts: 3 }, false],
    ['four restarts', { restarts: 4 }, true],
    ['four restarts of a pod that goes', { restarts: 4, going: true }, false],
    ['four restarts of a pod of the old revision', { restarts: 4, revision: 'web-v1' }, false],
    ['an image that cannot be pulled, for the old revision', { reason: 'ImagePullBackOff', revision: 'web-v1' }, false],
    ['an image that cannot be pulled', { reason: 'ImagePullBackOff' }, true],
  ])('[rollout 14.7] with %s', (_what, pod, aborts) => {
    const simulation = sampled({ failureLimit: 0 });
    simulation.pods = [aPod(pod)];
    simulation.pass();
    expect(isAborted(simulation)).toBe(aborts);
    if (aborts && pod.restarts === 4) expect(simulation.control.abortReason).toContain('has restarted 4 times; 3 are allowed');
  });

  it('[rollout 14.7] fail where it is unavailable for longer than the progress deadline, and where nothing of it is wanted they do not', () => {
    const simulation = sampled({ failureLimit: 0 }, { progressDeadlineSeconds: 60 });
    simulation.deploy('web-v2', 1, 0);
    simulation.advance(60);
    simulation.pass();
    expect(isAborted(simulation)).toBe(false);
    const { view } = simulation.observe();
    const held = view.workloads.get('web-v2');
    if (held === undefined) throw new Error('no workload');
    const idle = { ...view, workloads: new Map([...view.workloads, ['web-v2', { ...held, replicas: 0 }]]) };
    const later = toInstant(simulation.now + 1);
    expect([sampleHealth(idle, later).kind, sampleHealth(view, later).kind]).toEqual(['healthy', 'failing']);
    simulation.advance(1);
    simulation.pass();
    expect(simulation.control.abortReason).toBe('1 health samples failed; 0 are allowed: web-v2 has been unavailable for more than 60 s');
  });

  it('[rollout 14.2] that cannot be read hold it once more of them in a row than allowed were taken; one that can begins the count anew', () => {
    const simulation = sampled({ failureLimit: 0, consecutiveErrorLimit: 2, intervalSeconds: 10 });
    const look = (readable: boolean) => {
      simulation.readable = readable;
      simulation.pass();
      simulation.advance(10);
    };
    for (const readable of [false, false, true, false, false]) look(readable);
    simulation.readable = true;
    simulation.decide({ verb: 'approve' });
    simulation.settle();
    expect(simulation.control.completedStages).toBe(2);
    for (const readable of [false, false, false]) look(readable);
    expect(simulation.stored).toMatchObject({ health: { consecutiveErrors: 3 } });
    expect(isAborted(simulation)).toBe(false);
  });

  it('[rollout 14.2] that fail begin a soak anew', () => {
    const simulation = sampled({ failureLimit: 3, intervalSeconds: 10 }, { gates: 'none', requiredSoakTime: '60s' });
    expect(reasons(simulation)).toEqual(['SoakTime']);
    simulation.advance(50);
    simulation.pods = [aPod({ restarts: 4 })];
    simulation.pass();
    simulation.pods = [];
    simulation.advance(59);
    simulation.settle();
    expect([simulation.control.completedStages, reasons(simulation)]).toEqual([1, ['SoakTime']]);
    simulation.advance(1);
    simulation.settle();
    expect(simulation.control.completedStages).toBe(2);
  });

  it('[rollout 14.7] are not taken before the first stage, and not where no limit is named', () => {
    const before = aSimulation(4, { control: { autoPromotionEnabled: false, autoAbort: { failureLimit: 0 } } });
    before.settle();
    const unlimited = sampled({});
    for (const simulation of [before, unlimited]) {
      simulation.pods = [aPod({ restarts: 9 })];
      expect(simulation.pass().requeueAfterMs).toBeUndefined();
      expect(isAborted(simulation)).toBe(false);
    }
  });
});

describe('the way back of resourceutil', () => {
  it('[rollout 14.6] grows the stable side before anything of the rejected one shrinks', () => {
    const simulation = aSimulation(4, { rolloutStrategy: 'resourceutil', overConsumptionRatio: 25, control: { gates: 'every-stage' } });
    simulation.settle();
    simulation.decide({ verb: 'approve' });
    simulation.settle();
    const lowered: (number | undefined)[] = [];
    simulation.onScale = (revision, from, to) => {
      if (revision === 'web-v2' && to < from) lowered.push(simulation.deployments.get('web-v1')?.ready);
    };
    simulation.decide({ verb: 'abort' });
    simulation.settle();
    expect([lowered.length > 0, new Set(lowered)]).toEqual([true, new Set([4])]);
    expect(simulation.deployments.get('web-v2')?.replicas).toBe(0);
  });
});

describe('a rejected revision', () => {
  it('[design 14] is gone once neither its workload nor a pod of it that stays is there, as far as that can be seen', () => {
    const simulation = sampled({});
    simulation.decide({ verb: 'abort' });
    simulation.deployments.delete('web-v2');
    const goneWith = (pods: readonly RevisionPod[], revision = 'web-v2') => isGone({ ...simulation.observe().view, pods }, revision);
    expect([goneWith([]), goneWith([aPod({ going: true })]), goneWith([aPod({ revision: 'web-v1' })])]).toEqual([true, true, true]);
    expect([goneWith([aPod({})]), goneWith([], 'web-v9')]).toEqual([false, false]);
    simulation.readable = false;
    expect(goneWith([])).toBe(false);
    simulation.readable = true;
    simulation.deploy('web-v2', 0);
    expect(goneWith([])).toBe(false);
  });
});

describe('a rollout is through', () => {
  const since = (simulation: Simulation) => completeSince(simulation.observe().view);

  it('[issue 4] since everything was ready, and neither before that nor once the spec asks for something that nobody has looked at', () => {
    const simulation = aSimulation(4);
    simulation.advance(30);
    simulation.pass();
    expect(since(simulation)).toBeUndefined();
    simulation.settle();
    const done = simulation.now;
    simulation.advance(60);
    simulation.settle();
    expect(since(simulation)).toBe(done);
    const { ro } = simulation;
    simulation.ro = { ...ro, metadata: { ...ro.metadata, generation: (ro.metadata.generation ?? 0) + 1 } };
    expect(since(simulation)).toBeUndefined();
    simulation.ro = ro;
    simulation.change({ targetRevisions: [anEntry('web-v3', 4)] });
    simulation.ro = {
      ...simulation.ro,
      status: { ...(simulation.ro.status as object), observedGeneration: simulation.ro.metadata.generation },
    };
    expect(since(simulation)).toBeUndefined();
  });

  it('[issue 4] not while it waits at a gate, and since ever where nobody knows since when', () => {
    expect(since(sampled({}))).toBeUndefined();
    const simulation = aSimulation(4);
    simulation.settle();
    const status = simulation.ro.status as { readonly conditions: readonly { readonly type: string }[] };
    const conditions = status.conditions.map((one) => (one.type === 'Ready' ? { ...one, lastTransitionTime: undefined } : one));
    simulation.ro = { ...simulation.ro, status: { ...status, conditions } };
    expect(since(simulation)).toBe(0);
    const unready = status.conditions.map((one) => (one.type === 'Ready' ? { ...one, status: 'False' } : one));
    simulation.ro = { ...simulation.ro, status: { ...status, conditions: unready } };
    expect(since(simulation)).toBeUndefined();
  });
});
