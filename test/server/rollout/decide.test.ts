import { describe, expect, it } from 'vitest';
import { anEntry, aSimulation, Simulation } from './simulation';

const replicasOf = (simulation: Simulation) =>
  Object.fromEntries([...simulation.deployments].map(([name, { replicas }]) => [name, replicas]));

describe('a rollout without gates', () => {
  it('[rollout 12.1] goes from one revision to the next in ten stages and never runs more than one pod beyond them', () => {
    const simulation = aSimulation(10);
    let peak = 0;
    simulation.onScale = (revision, _from, to) => {
      const rest = [...simulation.deployments].reduce((sum, [name, { replicas }]) => (name === revision ? sum : sum + replicas), 0);
      peak = Math.max(peak, rest + to);
    };
    simulation.settle();
    expect(replicasOf(simulation)).toEqual({ 'web-v1': 0, 'web-v2': 10 });
    expect(peak).toBe(11);
    expect(simulation.control).toMatchObject({ phase: 'Healthy', completedStages: 10, stageCount: 10 });
    expect(simulation.condition('Ready')).toBe('True');
  });

  it('[rollout 14.5] writes each stage once and never starts a completed one again', () => {
    const simulation = aSimulation(4, { overConsumptionRatio: 50 });
    const stages: string[] = [];
    for (let turn = 0; turn < 40; turn++) {
      simulation.pass();
      simulation.settlePods();
      const line = `${simulation.condition('StageReady')} ${simulation.stage.map(({ percent }) => percent ?? '-').join('/')}`;
      if (stages.at(-1) !== line) stages.push(line);
    }
    expect(stages).toEqual(['Unknown 50/50', 'True 50/50', 'Unknown -/100', 'True -/100']);
  });

  it('[rollout 12.1] resourceutil makes room first and never runs more pods than before', () => {
    const simulation = aSimulation(10, { rolloutStrategy: 'resourceutil' });
    let peak = 0;
    simulation.onScale = (revision, _from, to) => {
      const rest = [...simulation.deployments].reduce((sum, [name, { replicas }]) => (name === revision ? sum : sum + replicas), 0);
      peak = Math.max(peak, rest + to);
    };
    simulation.settle();
    expect(replicasOf(simulation)).toEqual({ 'web-v1': 0, 'web-v2': 10 });
    expect(peak).toBe(10);
  });

  it('[rollout 12.6] brings a first deployment up in one stage', () => {
    const simulation = new Simulation({ targetRevisions: [anEntry('web-v1', 3)], rolloutStrategy: 'availability' });
    simulation.deploy('web-v1', 0);
    simulation.settle();
    expect(replicasOf(simulation)).toEqual({ 'web-v1': 3 });
    expect(simulation.control.phase).toBe('Healthy');
  });

  it('[rollout 13.2] takes bounds of revisions that name none from the replicas that run', () => {
    const bare = (revisionName: string) => ({ revisionName, percent: 100 });
    const simulation = new Simulation({ initialRevisions: [bare('web-v1')], targetRevisions: [bare('web-v2')] });
    simulation.deploy('web-v1', 4);
    simulation.deploy('web-v2', 0);
    simulation.settle();
    expect(replicasOf(simulation)).toEqual({ 'web-v1': 0, 'web-v2': 4 });
  });

  it('[rollout 8.4] waits for a workload that does not exist yet, and says so', () => {
    const simulation = aSimulation(4);
    simulation.deployments.delete('web-v2');
    simulation.settle();
    expect(simulation.sentence).toBe('Deployment web-v2 does not exist yet');
    expect(replicasOf(simulation)).toEqual({ 'web-v1': 4 });
    simulation.deploy('web-v2', 0);
    simulation.settle();
    expect(replicasOf(simulation)).toEqual({ 'web-v1': 0, 'web-v2': 4 });
  });
});

describe('crashes', () => {
  it.each(['spec', 'status', 'actions'] as const)(
    '[design 13 K] resumes after a crash right after writing the %s, at every pass',
    (line) => {
      const simulation = aSimulation(4);
      for (let turn = 0; turn < 120; turn++) {
        simulation.pass([], line);
        simulation.pass();
        simulation.settlePods();
      }
      expect(replicasOf(simulation)).toEqual({ 'web-v1': 0, 'web-v2': 4 });
      expect(simulation.control).toMatchObject({ phase: 'Healthy', completedStages: 4 });
      expect(simulation.control.history.map(({ action }) => action)).toEqual([
        'rollout.started',
        'stage.completed',
        'stage.completed',
        'stage.completed',
        'rollout.completed',
      ]);
    },
  );
});

describe('changes in mid-rollout', () => {
  const half = () => {
    const simulation = aSimulation(10);
    simulation.settleUntil('three stages are through', () => simulation.control.completedStages === 3);
    return simulation;
  };

  it('[design 13 M] goes to a third revision from where things stand, and remembers the last completed one', () => {
    const simulation = half();
    simulation.deploy('web-v3', 0);
    simulation.change({
      initialRevisions: (simulation.ro.status as { stageRevisionStatus: unknown }).stageRevisionStatus,
      targetRevisions: [anEntry('web-v3', 10)],
      stageTargetRevisions: undefined,
      targetFinishTime: undefined,
    });
    simulation.settle();
    expect(replicasOf(simulation)).toEqual({ 'web-v1': 0, 'web-v2': 0, 'web-v3': 10 });
    expect(simulation.control.stable).toMatchObject([{ revisionName: 'web-v1' }]);
  });

  it('[rollout 6.3] does the same when somebody changes nothing but the target', () => {
    const simulation = half();
    simulation.deploy('web-v3', 0);
    simulation.change({ targetRevisions: [anEntry('web-v3', 10)] });
    simulation.settle();
    expect(replicasOf(simulation)).toEqual({ 'web-v1': 0, 'web-v2': 0, 'web-v3': 10 });
    expect(simulation.control.phase).toBe('Healthy');
  });

  it('[rollout 12.5] goes back to the first revision when the target is changed to it (A to B to A)', () => {
    const simulation = half();
    simulation.change({ targetRevisions: [anEntry('web-v1', 10)] });
    simulation.settle();
    expect(replicasOf(simulation)).toEqual({ 'web-v1': 10, 'web-v2': 0 });
    expect(simulation.control.phase).toBe('Healthy');
  });

  it('[rollout 6.3] never switches in one go when two quick changes lost the start', () => {
    const simulation = half();
    simulation.deploy('web-v3', 0);
    simulation.change({ initialRevisions: undefined, stageTargetRevisions: undefined, targetRevisions: [anEntry('web-v3', 10)] });
    simulation.pass();
    expect(simulation.stage.length).toBeGreaterThan(1);
    simulation.settle();
    expect(replicasOf(simulation)).toEqual({ 'web-v1': 0, 'web-v2': 0, 'web-v3': 10 });
  });

  it('[design 13 M] starts the next rollout from the completed one', () => {
    const simulation = aSimulation(4);
    simulation.settle();
    simulation.deploy('web-v3', 0);
    simulation.change({ targetRevisions: [anEntry('web-v3', 4)] });
    simulation.settle();
    expect(replicasOf(simulation)).toEqual({ 'web-v1': 0, 'web-v2': 0, 'web-v3': 4 });
    expect(simulation.control.stable).toMatchObject([{ revisionName: 'web-v2' }]);
  });
});
