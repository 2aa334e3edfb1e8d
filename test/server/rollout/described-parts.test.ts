import { describe, expect, it } from 'vitest';
import { SUSPENDED } from '@/lib/kube/paused-by';
import { formatRollout } from '@/lib/words/format-rollout';
import type { RolloutDescription } from '@/server/rollout';
import { describeRollout } from '@/server/rollout';
import { describeRecord } from '@/server/rollout/describe/stages';
import type { StageAutoscaler } from '@/server/rollout/model';
import { listRemainingStages } from '@/server/rollout/pass/remaining-stages';
import { inThirdStage, railOf } from './rails';
import type { Simulation } from './simulation';
import { Simulation as Alone, anEntry, aSimulation } from './simulation';

// What an operator reads where a rollout names less than usual, or a stage more.

const GATED = { overConsumptionRatio: 25, control: { gates: 'every-stage' } };
const named = ({ told }: Simulation) => told.revisions.map(({ revision }) => revision);
const railIn = ({ told }: Simulation) => railOf(told.attempt?.stages);
const atGate = (spec: object = GATED): Simulation => {
  const simulation = aSimulation(4, { ...spec });
  simulation.settle();
  return simulation;
};

describe('[issue 10.7] revisions that are told', () => {
  it('are those that the rollout names, each once, and no other', () => {
    expect(named(aSimulation(4, GATED))).toEqual(['web-v1', 'web-v2']);
    const first = new Alone({ targetRevisions: [anEntry('web-v1', 2)] });
    first.deploy('web-v1', 0);
    expect(named(first)).toEqual(['web-v1']);
    expect(named(new Alone({}))).toEqual([]);
    expect(named(new Alone({ initialRevisions: [anEntry('web-v1', 2)] }))).toEqual(['web-v1']);
  });

  it('are those that are asked for as well while the rollout is held and goes on to none of them', () => {
    const held = atGate();
    held.change({ targetRevisions: [anEntry('web-v3', 4)] });
    held.ro = { ...held.ro, metadata: { ...held.ro.metadata, annotations: { [SUSPENDED]: 'true' } } };
    expect(named(held)).toEqual(['web-v1', 'web-v2', 'web-v3']);
  });

  it('have the bounds of their stage alone where nothing else of the rollout names them', () => {
    const simulation = atGate();
    const extra = { revisionName: 'web-v9', percent: 0, direction: 'down', targetReplicas: 1 };
    simulation.change({ stageTargetRevisions: [...simulation.stage, extra] });
    simulation.bounds.set('web-v9', { stageMinScale: 0, stageMaxScale: 1 });
    const none = { exists: false, ownMin: null, ownMax: null, role: 'old' };
    const found = simulation.told.revisions.find(({ revision }) => revision === 'web-v9');
    expect(found).toMatchObject({ ...none, inForce: 'stage', stageMin: 0, stageMax: 1, target: 1 });
  });
});

describe('[issue 10.7] a stage under way', () => {
  it('is waited for also where the one after it cannot be planned yet', () => {
    const simulation = atGate();
    simulation.decide({ verb: 'approve' });
    simulation.settle();
    simulation.deploy('web-v0', 0);
    simulation.change({ targetRevisions: [anEntry('web-v0', 4)] });
    simulation.settleUntil('a stage is under way', () => simulation.told.position === 'running');
    const waits = 'stage 1: web-v2 still has 2 replicas, at most 1 allowed';
    expect([simulation.sentence, simulation.told.attempt?.stages.length]).toEqual([waits, 4]);
    simulation.deployments.delete('web-v1');
    expect([simulation.sentence, simulation.told.attempt?.stages.length]).toEqual([waits, 2]);
  });

  it('is told with nothing of the target where somebody else wrote it without that', () => {
    const simulation = aSimulation(4, GATED);
    simulation.pass();
    simulation.change({ stageTargetRevisions: [{ ...anEntry('web-v1', 4), percent: 100, direction: 'down', targetReplicas: 3 }] });
    expect(railIn(simulation)[0]).toBe('forward 1 0% closed current');
  });

  it('waits for the higher of what is there and what is asked for, and for pods that go as long as nobody knows of them', () => {
    const simulation = aSimulation(4, { overConsumptionRatio: 50, overlap: false });
    simulation.pass();
    simulation.settlePods(['web-v2']);
    simulation.pass();
    const { view } = simulation.observe();
    const told = (figures: StageAutoscaler['figures']): RolloutDescription => {
      const autoscalers = view.autoscalers.map((one) => (one.name === 'web-v1' ? { ...one, figures, livePods: 0 } : one));
      return describeRollout({ view: { ...view, autoscalers } }, simulation.now);
    };
    const shrinks = (figures: StageAutoscaler['figures']) =>
      told(figures)
        .waitsFor.clauses.slice(1)
        .map(({ message, met }) => `${met} ${formatRollout(message)}`);
    const most = (has: number) => `stage 1: web-v1 still has ${has} replicas, at most 2 allowed`;
    expect(shrinks({ actualScale: 5, desiredScale: 2, replicasTerminating: 0 })[0]).toBe(`false ${most(5)}`);
    expect(shrinks({ actualScale: 2, desiredScale: 6, replicasTerminating: 0 })[0]).toBe(`false ${most(6)}`);
    const going = (replicasTerminating: number | undefined) =>
      shrinks({ actualScale: 2, desiredScale: 2, ...(replicasTerminating === undefined ? {} : { replicasTerminating }) })[1];
    expect([going(0), going(1), going(undefined)].map((line) => line?.split(' ')[0])).toEqual(['true', 'false', 'false']);
  });
});

describe('[issue 10.7] the gate of a stage that is behind', () => {
  it('is none after the last one, also where several revisions share the end', () => {
    const halves = ['web-v2', 'web-v3'].map((revisionName) => ({ ...anEntry(revisionName, 2), percent: 50 }));
    const simulation = aSimulation(4, { ...GATED, targetRevisions: halves });
    simulation.deploy('web-v3', 0);
    expect(railIn(simulation)).toEqual(['forward 1 50% none planned']);
    simulation.settle();
    expect(railIn(simulation)).toEqual(['forward 1 50% none done']);
    expect([simulation.told.position, simulation.told.percent]).toEqual(['complete', 100]);
  });

  it('stays open where what came after it was not kept', () => {
    const simulation = inThirdStage();
    const status = simulation.ro.status as { readonly control: { readonly attempt: { readonly stages: readonly object[] } } };
    const { control } = status;
    const attempt = { ...control.attempt, stages: control.attempt.stages.slice(0, 2) };
    simulation.ro = { ...simulation.ro, status: { ...status, control: { ...control, attempt } } };
    expect(railIn(simulation).slice(0, 3)).toEqual(['forward 1 25% none done', 'forward 2 50% open done', 'forward 3 75% none current']);
  });

  it('stays open on a way back that has as many stages behind it', () => {
    const simulation = aSimulation(10, { ...GATED, overConsumptionRatio: 10 });
    const approve = () => {
      simulation.settle();
      simulation.decide({ verb: 'approve' });
    };
    for (let stage = 1; stage < 4; stage++) approve();
    simulation.settle();
    simulation.deploy('web-v3', 0);
    simulation.change({ targetRevisions: [anEntry('web-v3', 10)] });
    approve();
    simulation.settle();
    simulation.decide({ verb: 'abort' });
    simulation.settleUntil('a stage back is behind', () => simulation.told.completedStages === 1);
    expect(railIn(simulation).slice(0, 3)).toEqual(['forward 1 10% open done', 'forward 2 20% closed done', 'back 1 0% none done']);
  });
});

describe('[issue 10.7] an abort that is over', () => {
  it('is told whichever workloads are gone since', () => {
    const simulation = atGate();
    simulation.decide({ verb: 'abort' });
    simulation.settle();
    const { sentence } = simulation;
    expect(sentence).toMatch(/^web-v2 was aborted: because/);
    simulation.deployments.clear();
    expect(simulation.sentence).toBe(sentence);
  });
});

it('[issue 10.7] the end of a stage is told by what is known of it, and nothing of a revision of which nothing is', () => {
  const { view } = atGate().observe();
  const at = '2026-01-01T09:00:00Z';
  const revisions = [
    { revision: 'web-v1', direction: 'down', percent: 50, ready: 2 },
    { revision: 'web-v2', direction: 'up', percent: 50 },
  ] as const;
  const { revisions: told } = describeRecord(view, { index: 1, way: 'forward', startedAt: at, endedAt: at, revisions });
  expect(told.map(({ observed }) => observed)).toEqual([{ replicas: 2, percent: 100 }, null]);
});

describe('[issue 10.7] what a plan leaves each revision', () => {
  const outcomesOf = (simulation: Simulation, ...names: readonly string[]) =>
    listRemainingStages(simulation.observe().view).stages.map(({ outcomes }) => names.map((name) => outcomes.get(name)?.replicas));

  it('is nothing of where it came from once several targets share the end at once', () => {
    const halves = ['web-v2', 'web-v3'].map((revisionName) => ({ ...anEntry(revisionName, 2), percent: 50 }));
    const simulation = aSimulation(4, { ...GATED, targetRevisions: halves });
    simulation.deploy('web-v3', 0);
    expect(outcomesOf(simulation, 'web-v1', 'web-v2', 'web-v3')).toEqual([[0, 2, 2]]);
  });

  it('is nothing of what has bounds and no part any more, from the first stage on', () => {
    const simulation = aSimulation(4, { overConsumptionRatio: 50 });
    simulation.deploy('web-v0', 3);
    simulation.bounds.set('web-v0', { stageMinScale: 3, stageMaxScale: 3 });
    expect(outcomesOf(simulation, 'web-v0', 'web-v1', 'web-v2')).toEqual([
      [0, 2, 2],
      [0, 0, 4],
    ]);
  });
});
