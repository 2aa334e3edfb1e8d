import { describe, expect, it } from 'vitest';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import type { RolloutDescription } from '@/server/rollout';
import { describeRevisions, describeRollout, observeObjects } from '@/server/rollout';
import { readPod } from '@/server/rollout/objects';
import type { Simulation } from './simulation';
import { Simulation as Alone, anEntry, aSimulation } from './simulation';

// What an operator reads of each revision: its part, its bounds and which of them is in force, its pods, and what scales it.

type Told = RolloutDescription['revisions'][number];

const GATED = { overConsumptionRatio: 25, control: { gates: 'every-stage' } };
const revisionOf = ({ revisions }: RolloutDescription, name: string): Told => {
  const found = revisions.find(({ revision }) => revision === name);
  if (found === undefined) throw new Error(`no revision ${name}`);
  return found;
};
const atGate = (spec: Readonly<Record<string, unknown>> = GATED): Simulation => {
  const simulation = aSimulation(4, spec);
  simulation.settle();
  return simulation;
};

describe('a revision', () => {
  it('[design 9] tells its own bounds and those of the stage, what is asked for, what is ready, and its shares', () => {
    const simulation = atGate();
    const none = { isRejected: false, exists: true, scaler: null, terminating: 0, ownMin: 4, ownMax: 4 };
    expect(simulation.told.revisions).toEqual([
      {
        ...none,
        revision: 'web-v1',
        role: 'old',
        stageMin: 3,
        stageMax: 3,
        inForce: 'stage',
        desired: 3,
        actual: 3,
        target: 3,
        percentPlanned: 75,
        percentByPods: 75,
      },
      {
        ...none,
        revision: 'web-v2',
        role: 'new',
        stageMin: 1,
        stageMax: 4,
        inForce: 'stage',
        desired: 1,
        actual: 1,
        target: 1,
        percentPlanned: 25,
        percentByPods: 25,
      },
    ]);
  });

  it('[design 9] has no bounds and no part before a stage gives it one; the target has none of the traffic yet', () => {
    const simulation = aSimulation(4, GATED);
    const none = { stageMin: null, stageMax: null, desired: null, terminating: null, target: null, inForce: 'own' };
    expect(revisionOf(simulation.told, 'web-v1')).toMatchObject({ ...none, actual: 4, percentPlanned: null, percentByPods: 100 });
    expect(revisionOf(simulation.told, 'web-v2')).toMatchObject({ ...none, actual: 0, percentPlanned: 0, percentByPods: 0 });
  });

  it('[design 9] that ended is parked, and the one that carries everything is within its own bounds', () => {
    const simulation = atGate({ overConsumptionRatio: 25 });
    expect(revisionOf(simulation.told, 'web-v1')).toMatchObject({ inForce: 'parked', stageMin: 0, actual: 0, percentPlanned: 0 });
    expect(revisionOf(simulation.told, 'web-v2')).toMatchObject({ inForce: 'own', stageMin: 4, stageMax: 4, percentPlanned: 100 });
  });

  it('[design 9] is bound by its stage where that lowers its minimum or its maximum, and by itself where both are as they were', () => {
    const simulation = atGate();
    const inForce = (bounds: object) => {
      simulation.bounds.set('web-v1', bounds);
      return revisionOf(simulation.told, 'web-v1').inForce;
    };
    expect([inForce({ stageMinScale: 4, stageMaxScale: 4 }), inForce({}), inForce({ stageMinScale: 5 })]).toEqual(['own', 'own', 'own']);
    expect([inForce({ stageMinScale: 3 }), inForce({ stageMaxScale: 3 }), inForce({ stageMinScale: 0, stageMaxScale: 0 })]).toEqual([
      'stage',
      'stage',
      'parked',
    ]);
    // No maximum of its own is above any that a stage sets.
    simulation.change({ initialRevisions: [{ ...anEntry('web-v1', 4), minScale: 2, maxScale: 0 }] });
    const free = aSimulation(4, { ...GATED, initialRevisions: [{ ...anEntry('web-v1', 2), maxScale: 0 }] });
    free.settle();
    free.bounds.set('web-v1', { stageMinScale: 2, stageMaxScale: 900 });
    expect(revisionOf(free.told, 'web-v1')).toMatchObject({ inForce: 'stage', ownMin: 2, ownMax: 0 });
  });

  it('[rollout 14.6] that is sent back says so, and no other one does', () => {
    const simulation = atGate();
    expect(simulation.told.revisions.map(({ isRejected }) => isRejected)).toEqual([false, false]);
    simulation.decide({ verb: 'abort' });
    expect(simulation.told.revisions.map(({ revision, isRejected }) => [revision, isRejected])).toEqual([
      ['web-v1', false],
      ['web-v2', true],
    ]);
  });

  it('[rollout 5] that stays as it is for now has that part; the target stands last, the others by name', () => {
    const simulation = atGate();
    simulation.decide({ verb: 'approve' });
    simulation.settle();
    simulation.deploy('web-v0', 0);
    simulation.change({ targetRevisions: [anEntry('web-v0', 4)] });
    simulation.pass();
    expect(simulation.told.revisions.map(({ revision, role }) => `${revision} ${role}`)).toEqual([
      'web-v1 stay',
      'web-v2 old',
      'web-v0 new',
    ]);
    expect(revisionOf(simulation.told, 'web-v1').percentPlanned).toBe(50);
    simulation.decide({ verb: 'abort' });
    simulation.settle();
    expect(simulation.told.revisions.map(({ revision, role, isRejected }) => `${revision} ${role} ${isRejected}`)).toEqual([
      'web-v1 old false',
      'web-v2 old false',
      'web-v0 new true',
    ]);
    const several = aSimulation(2, {
      initialRevisions: [
        { ...anEntry('web-v5', 2), percent: 50 },
        { ...anEntry('web-v1', 2), percent: 25 },
        { ...anEntry('web-v3', 2), percent: 25 },
      ],
    });
    for (const name of ['web-v3', 'web-v5']) several.deploy(name, 2);
    expect(several.told.revisions.map(({ revision }) => revision)).toEqual(['web-v1', 'web-v3', 'web-v5', 'web-v2']);
  });

  it('[issue 9.3] that is named and not there is told all the same, with what its bounds were', () => {
    const simulation = atGate();
    simulation.deployments.delete('web-v2');
    expect(revisionOf(simulation.told, 'web-v2')).toMatchObject({
      exists: false,
      scaler: null,
      desired: null,
      actual: null,
      terminating: null,
      stageMin: 1,
      ownMin: 4,
      percentByPods: 0,
    });
    expect(revisionOf(simulation.told, 'web-v1').percentByPods).toBe(100);
    simulation.deployments.clear();
    expect(revisionOf(simulation.told, 'web-v2').percentByPods).toBeNull();
  });

  it('[rollout 5] takes bounds that its entry does not give from its workload, and has none where that has none', () => {
    const simulation = new Alone({
      initialRevisions: [{ revisionName: 'web-v1', percent: 100 }],
      targetRevisions: [{ revisionName: 'web-v2', percent: 100 }],
    });
    simulation.deploy('web-v1', 3);
    simulation.deploy('web-v2', 0);
    simulation.autoscale('web-v2', 2, 6);
    expect(revisionOf(simulation.told, 'web-v1')).toMatchObject({ ownMin: 3, ownMax: 3 });
    expect(revisionOf(simulation.told, 'web-v2')).toMatchObject({ ownMin: 2, ownMax: 6 });
  });
});

describe('what scales a revision', () => {
  const scaled = (status: object | undefined, replicas = 4): Told['scaler'] => {
    const simulation = atGate();
    simulation.autoscale('web-v1', 2, 8);
    const deployment = simulation.deployments.get('web-v1');
    if (deployment?.hpa)
      simulation.deployments.set('web-v1', { ...deployment, replicas, hpa: { ...deployment.hpa, status } as KubeObject });
    return revisionOf(simulation.told, 'web-v1').scaler;
  };
  const active = (status: string, reason: string) => ({ conditions: [{ type: 'ScalingActive', status, reason, message: 'no metrics' }] });

  it('[design 9] is told with its range, and whether it follows its metrics, holds without any, or sleeps', () => {
    const range = { name: 'web-v1', min: 2, max: 8 };
    expect(scaled(active('True', 'ValidMetricFound'))).toEqual({ ...range, state: 'scaling', message: null });
    expect(scaled(undefined)).toEqual({ ...range, state: 'scaling', message: null });
    expect(scaled(active('False', 'FailedGetResourceMetric'))).toEqual({ ...range, state: 'holding', message: 'no metrics' });
    expect(scaled(active('False', 'ScalingDisabled'))).toEqual({ ...range, state: 'scaling', message: null });
    expect(scaled(active('False', 'FailedGetResourceMetric'), 0)).toEqual({ ...range, state: 'asleep', message: null });
    const mute = { conditions: [{ type: 'ScalingActive', status: 'False', reason: 'FailedGetResourceMetric' }] };
    expect(scaled(mute)).toEqual({ ...range, state: 'holding', message: null });
  });
});

describe('a rollout that is seen as objects', () => {
  const at = { namespace: 'shop' };
  const deploymentOf = (name: string, replicas: number): KubeObject => ({
    ...KINDS.deployment,
    metadata: { ...at, name, generation: 1, labels: { 'serving.knative.dev/revision': name } },
    spec: { replicas },
    status: { observedGeneration: 1, replicas, readyReplicas: replicas, availableReplicas: replicas },
  });
  const scalerOf = (name: string, scales: string, maxReplicas: number): KubeObject => ({
    ...KINDS.horizontalPodAutoscaler,
    metadata: { ...at, name },
    spec: { minReplicas: 1, maxReplicas, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: scales } },
  });
  const other: KubeObject = {
    ...KINDS.horizontalPodAutoscaler,
    metadata: { ...at, name: 'aaa' },
    spec: { maxReplicas: 9, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'web-v1' } },
  };

  it('[design 3] has the autoscaler of each workload: its namesake, else the first by name; none of another kind', () => {
    const simulation = atGate();
    const workloads = [deploymentOf('web-v1', 3), deploymentOf('web-v2', 1)];
    const scalers = [
      other,
      scalerOf('zzz', 'web-v1', 5),
      scalerOf('web-v1', 'web-v1', 6),
      scalerOf('mmm', 'web-v2', 7),
      scalerOf('nnn', 'web-v2', 8),
    ];
    const objects = { rollout: simulation.ro, autoscalers: [], workloads };
    const told = (more: object) => describeRollout(observeObjects({ ...objects, ...more }, simulation.now), simulation.now);
    const named = ({ revisions }: RolloutDescription) => revisions.map(({ scaler }) => scaler && [scaler.name, scaler.max]);
    expect(named(told({ scalers }))).toEqual([
      ['web-v1', 6],
      ['mmm', 7],
    ]);
    expect(named(told({ scalers: [other] }))).toEqual([null, null]);
    const going = scalerOf('web-v1', 'web-v1', 6);
    const deletionTimestamp = '2026-01-01T09:00:00Z';
    expect(named(told({ scalers: [{ ...going, metadata: { ...going.metadata, deletionTimestamp } }] }))).toEqual([null, null]);
    expect(named(told({}))).toEqual([null, null]);
  });

  it('[rollout 14.2] counts pods where they are told, and goes by what bounds mirror where they are not', () => {
    const simulation = atGate({ ...GATED, control: { gates: 'every-stage', minReadySeconds: 60 } });
    const workloads = [deploymentOf('web-v1', 3), deploymentOf('web-v2', 1)];
    const autoscalers = [
      {
        apiVersion: 'serving.knative.dev/v1',
        kind: 'StagePodAutoscaler',
        metadata: { ...at, name: 'web-v1' },
        spec: {},
        status: { actualScale: 2, desiredScale: 3, replicasTerminating: 1 },
      },
    ];
    const objects = { rollout: simulation.ro, autoscalers, workloads };
    const told = (more: object) => describeRollout(observeObjects({ ...objects, ...more }, simulation.now), simulation.now);
    expect(revisionOf(told({}), 'web-v1')).toMatchObject({ actual: 2, terminating: 1 });
    expect(revisionOf(told({ pods: [] }), 'web-v1')).toMatchObject({ terminating: 0 });
  });

  it('[issue 9.3] has no replicas of a workload that is gone, whatever was mirrored of it last, but where pods of it run, nobody has a workload, or not all can be read', () => {
    const simulation = atGate();
    const mirrored = ['web-v1', 'web-v2'].map((name) => ({
      apiVersion: 'serving.knative.dev/v1',
      kind: 'StagePodAutoscaler',
      metadata: { ...at, name },
      spec: {},
      status: { actualScale: 4, desiredScale: 4, replicasTerminating: 3 },
    }));
    const pod = {
      ...KINDS.pod,
      metadata: { ...at, name: 'p', labels: { 'serving.knative.dev/revision': 'web-v1' } },
      status: { phase: 'Running' },
    };
    const another = { ...pod, metadata: { ...pod.metadata, labels: { 'serving.knative.dev/revision': 'web-v2' } } };
    const going = { ...pod, metadata: { ...pod.metadata, deletionTimestamp: '2026-01-01T09:00:00Z' } };
    const blind = { of: 'pods', kind: 'forbidden', since: simulation.now, reason: 'the server may not list them' };
    const figures = (workloads: readonly KubeObject[], pods: readonly KubeObject[], more: object = {}) => {
      const { view } = observeObjects({ rollout: simulation.ro, autoscalers: mirrored, workloads, pods }, simulation.now);
      const told = describeRevisions({ ...view, pods: pods.map(readPod), ...more });
      return told
        .filter(({ revision }) => revision === 'web-v1')
        .map(({ desired, actual, terminating }) => [desired, actual, terminating])[0];
    };
    const rest = [deploymentOf('web-v2', 4)];
    expect(figures(rest, [])).toEqual([0, 0, 0]);
    expect(figures(rest, [going])).toEqual([0, 0, 1]);
    expect(figures(rest, [another])).toEqual([0, 0, 0]);
    expect(figures(rest, [], { staleKind: blind })).toEqual([4, 4, 3]);
    expect(figures(rest, [pod])).toEqual([4, 4, 3]);
    expect(figures([], [])).toEqual([4, 4, 3]);
    expect(figures([...rest, deploymentOf('web-v1', 3)], [])).toEqual([3, 3, 0]);
  });

  it('[design 5] has the decisions that nobody has judged yet', () => {
    const simulation = atGate();
    const decision = (name: string, status: object | undefined) => ({
      ...KINDS.stageDecision,
      metadata: { ...at, name, uid: name },
      spec: { rolloutRef: { name: 'web', uid: 'ro-1' }, verb: 'pause', actor: { user: 'ann' } },
      ...(status === undefined ? {} : { status }),
    });
    const decisions = [decision('new', undefined), decision('old', { phase: 'Accepted' })];
    const objects = { rollout: simulation.ro, autoscalers: [], workloads: [] };
    const names = (more: object) => observeObjects({ ...objects, ...more }, simulation.now).decisions.map(({ name }) => name);
    expect([names({ decisions }), names({})]).toEqual([['new'], []]);
  });
});
