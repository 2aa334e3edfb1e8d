import { describe, expect, it } from 'vitest';
import { readField } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import { attemptOf, stableOf } from '@/server/rollout/control/control-facts';
import type { TargetRevision } from '@/server/rollout/model';
import { anEntry, aSimulation, Simulation } from './simulation';

const GATED = { overConsumptionRatio: 25, control: { gates: 'every-stage' } };
const UNSTAGED = { stageTargetRevisions: undefined, targetFinishTime: undefined };
const sharesOf = (revisions: readonly TargetRevision[] = []) =>
  revisions.map(({ revisionName, percent }) => `${revisionName} ${percent ?? 0}`);
const namesOf = (revisions: readonly TargetRevision[]) => revisions.map(({ revisionName }) => revisionName);
const replicasOf = (simulation: Simulation, revision: string) => simulation.deployments.get(revision)?.replicas;
const startOf = ({ stored }: Simulation) => sharesOf(attemptOf(stored)?.course?.initialRevisions);

/** A rollout of four replicas that waits at the gate after its first stage. */
function atGate(): Simulation {
  const simulation = aSimulation(4, GATED);
  simulation.settle();
  return simulation;
}

/** One that is through, since somebody promoted it. */
function through(): Simulation {
  const simulation = atGate();
  simulation.decide({ verb: 'promote-full' });
  simulation.settle();
  expect(simulation.stored.state).toBe('done');
  return simulation;
}

/** One in the middle of its second stage, with a pod of the third revision nowhere yet. */
function within(): Simulation {
  const simulation = atGate();
  simulation.decide({ verb: 'approve' });
  simulation.pass();
  simulation.deploy('web-v3', 0);
  return simulation;
}

const toThird = (simulation: Simulation, more: object = {}) => {
  simulation.deploy('web-v3', 0);
  simulation.change({ targetRevisions: [anEntry('web-v3', 4)], ...more });
};

describe('another target after an abort', () => {
  it.each([
    ['nothing', []],
    ['what carries nothing', [{ ...anEntry('web-v2', 4), percent: 0 }]],
    ['what was rejected', [anEntry('web-v2', 4)]],
  ])(
    '[issue 10.2] has its gates, and may be aborted to what was there before, also where the spec says that it starts from %s',
    (_what, start) => {
      const simulation = atGate();
      simulation.decide({ verb: 'abort' });
      simulation.settle();
      toThird(simulation, { ...UNSTAGED, initialRevisions: start });
      simulation.settle();
      expect(namesOf(stableOf(simulation.stored))).toEqual(['web-v1']);
      expect(simulation.stored.state).toBe('boundary');
      expect(simulation.told.activity).toBe('waiting');
    },
  );

  it('[issue 10.2] goes back to what was there before both while that is on its way back still', () => {
    const simulation = atGate();
    simulation.decide({ verb: 'abort' });
    expect(simulation.stored.state).toBe('returning');
    toThird(simulation, { ...UNSTAGED, initialRevisions: readField(simulation.ro, 'status', 'stageRevisionStatus') });
    simulation.pass();
    expect(namesOf(stableOf(simulation.stored))).toEqual(['web-v1']);
  });
});

describe('another target', () => {
  it.each([
    ['nothing', []],
    ['where it is to go', [anEntry('web-v3', 4)]],
    ['where nobody ever was', [anEntry('web-v9', 4)]],
    [
      'a mixture that never was',
      [
        { ...anEntry('web-v2', 4), percent: 75 },
        { ...anEntry('web-v1', 4), percent: 25 },
      ],
    ],
  ])('[issue 10.2] starts from what is there, with its gates, where its spec says that it starts from %s', (_what, start) => {
    const simulation = through();
    toThird(simulation, { ...UNSTAGED, initialRevisions: start });
    simulation.settle();
    expect(startOf(simulation)).toEqual(['web-v2 100']);
    expect(namesOf(stableOf(simulation.stored))).toEqual(['web-v2']);
    expect(simulation.told).toMatchObject({ activity: 'waiting', completedStages: 1, percent: 25 });
  });

  it('[issue 10.2] in mid-rollout does not take what waits at a gate for what is past it', () => {
    const simulation = atGate();
    toThird(simulation, { ...UNSTAGED, initialRevisions: [anEntry('web-v2', 4)] });
    simulation.settle();
    expect(startOf(simulation)).toEqual(['web-v1 75', 'web-v2 25']);
    expect([replicasOf(simulation, 'web-v1'), simulation.told.activity]).toEqual([3, 'waiting']);
  });

  it('[design 13 M] goes by the lists of its spec where these say where things stand: through, or in the middle of a stage', () => {
    const done = through();
    toThird(done, { ...UNSTAGED, initialRevisions: readField(done.ro, 'status', 'stageRevisionStatus') });
    done.pass();
    expect(namesOf(stableOf(done.stored))).toEqual(['web-v2']);
    expect(attemptOf(done.stored)?.course).toBeUndefined();
    const first = aSimulation(4, GATED);
    first.pass();
    for (const running of [first, within()]) {
      toThird(running, { ...UNSTAGED, initialRevisions: [...running.stage].reverse() });
      running.pass();
      expect(attemptOf(running.stored)?.course).toBeUndefined();
    }
  });

  it('[rollout 6.3] before anything moved is followed like any other', () => {
    const simulation = aSimulation(4, { ...GATED, paused: true });
    simulation.pass();
    toThird(simulation, UNSTAGED);
    simulation.pass();
    expect(simulation.told.to).toBe('web-v3');
    toThird(simulation, { ...UNSTAGED, targetRevisions: [anEntry('web-v2', 4)], initialRevisions: [anEntry('web-v2', 4)] });
    simulation.pass();
    expect(simulation.told.to).toBe('web-v2');
    expect(startOf(simulation)).toEqual(['web-v1 100']);
  });

  it('[rollout 6.3] starts in the middle of a stage from that stage where its pods are there, else from the one before', () => {
    const running = within();
    expect(replicasOf(running, 'web-v2')).toBeGreaterThan(1);
    running.settlePods(['web-v3']);
    const stage = sharesOf(running.stage);
    toThird(running);
    running.pass();
    expect(startOf(running)).toEqual(stage);
    // Also where the new target runs somewhere already, so that every revision has pods.
    const warm = within();
    warm.deploy('web-v3', 1);
    warm.settlePods();
    const under = sharesOf(warm.stage);
    warm.change({ targetRevisions: [anEntry('web-v3', 4)] });
    warm.pass();
    expect([...warm.deployments.values()].every(({ ready }) => ready > 0)).toBe(true);
    expect(startOf(warm)).toEqual(under);
    const asleep = within();
    for (const deployment of asleep.deployments.values()) deployment.ready = 0;
    const reached = sharesOf(readField(asleep.ro, 'status', 'stageRevisionStatus') as TargetRevision[]);
    toThird(asleep);
    asleep.pass();
    expect(startOf(asleep)).toEqual(reached);
    expect(reached).not.toEqual(stage);
  });

  it('[rollout 6.3] whose start was lost starts from the last stage that was reached, or from what was there before the first', () => {
    const reached = atGate();
    toThird(reached, { ...UNSTAGED, initialRevisions: undefined });
    reached.pass();
    expect(startOf(reached)).toEqual(sharesOf(readField(reached.ro, 'status', 'stageRevisionStatus') as TargetRevision[]));
    const first = aSimulation(4, GATED);
    first.pass();
    toThird(first, { ...UNSTAGED, initialRevisions: undefined });
    first.pass();
    expect(startOf(first)).toEqual(['web-v1 100']);
    expect(first.stage.length).toBeGreaterThan(1);
  });

  it('[rollout 13.2] may go back to as many as ran, where nobody says how many that is', () => {
    const bare = (revisionName: string) => ({ revisionName, percent: 100 });
    const simulation = new Simulation({ initialRevisions: [bare('web-v1')], targetRevisions: [bare('web-v2')] });
    simulation.deploy('web-v1', 3);
    simulation.deploy('web-v2', 0);
    simulation.pass();
    expect(stableOf(simulation.stored)).toMatchObject([{ revisionName: 'web-v1', minScale: 3, maxScale: 3 }]);
  });

  it('[issue 10.7] that is certain to run less than what is there holds that much, and no more', () => {
    const floorTo = (target: TargetRevision) => {
      const simulation = aSimulation(4, { targetRevisions: [target] });
      simulation.pass();
      return simulation.control.floor;
    };
    expect(floorTo(anEntry('web-v2', 4))).toBe(4);
    expect(floorTo({ ...anEntry('web-v2', 4), minScale: 1 })).toBe(1);
  });
});

describe('a rollout that nobody looked at yet', () => {
  it('[rollout 14.5] goes on with the stage that its spec is in, though what was remembered of it is gone', () => {
    const simulation = within();
    const stage = sharesOf(simulation.stage);
    const { control: _gone, ...status } = simulation.ro.status as { readonly control: object };
    simulation.ro = { ...simulation.ro, status } as KubeObject;
    simulation.pass();
    expect(sharesOf(simulation.stage)).toEqual(stage);
    expect(attemptOf(simulation.stored)?.course).toBeUndefined();
  });

  it('[rollout 12.6] and that asks for nothing stays at rest', () => {
    const simulation = new Simulation({ rolloutStrategy: 'availability' });
    simulation.pass();
    expect([simulation.stored.state, simulation.stage]).toEqual(['idle', []]);
  });
});

describe('an abort', () => {
  it('[rollout 14.6] goes back also where somebody took the stage out of the spec, and calls nothing of it the latest', () => {
    const simulation = within();
    simulation.change(UNSTAGED);
    simulation.decide({ verb: 'abort' });
    expect(simulation.stored.state).toBe('returning');
    expect(attemptOf(simulation.stored)?.course?.targetRevisions.map(({ latestRevision }) => latestRevision)).toEqual([false]);
    simulation.settle();
    expect([replicasOf(simulation, 'web-v1'), simulation.stored.state]).toEqual([4, 'aborted']);
  });

  it('[rollout 14.3] is followed by a retry that begins before the first stage, with every gate', () => {
    const simulation = atGate();
    simulation.decide({ verb: 'abort' });
    simulation.settle();
    simulation.decide({ verb: 'retry' });
    simulation.settle();
    expect(simulation.told).toMatchObject({ activity: 'waiting', completedStages: 1, percent: 25, attempt: { kind: 'retry' } });
    expect(attemptOf(simulation.stored)?.course?.targetRevisions).toMatchObject([{ revisionName: 'web-v2', percent: 100 }]);
  });

  it('[issue 10.2] that is through is followed by such a retry also where somebody took the stage out of the spec', () => {
    const simulation = atGate();
    simulation.decide({ verb: 'approve' });
    simulation.settle();
    simulation.decide({ verb: 'abort' });
    simulation.settle();
    simulation.change(UNSTAGED);
    simulation.decide({ verb: 'retry' });
    simulation.settle();
    expect(simulation.told).toMatchObject({ activity: 'waiting', completedStages: 1, percent: 25 });
  });

  it('[rollout 14.3] before anything moved leaves a retry all of its gates', () => {
    const simulation = aSimulation(4, { ...GATED, paused: true });
    simulation.pass();
    simulation.decide({ verb: 'abort' });
    simulation.settle();
    expect(simulation.stored.state).toBe('aborted');
    simulation.decide({ verb: 'retry' });
    simulation.change({ paused: false });
    simulation.settle();
    expect(simulation.told).toMatchObject({ activity: 'waiting', completedStages: 1, percent: 25, attempt: { kind: 'retry' } });
  });
});
