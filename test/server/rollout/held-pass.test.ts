import { describe, expect, it } from 'vitest';
import { KINDS } from '@/lib/kube/kinds';
import { toInstant, toKubeTime } from '@/lib/std/instant';
import type { RolloutDecision } from '@/server/rollout/decide';
import { decide } from '@/server/rollout/decide';
import { REVISION_LABEL } from '@/server/rollout/model';
import { readPod } from '@/server/rollout/objects';
import type { Simulation } from './simulation';
import { aSimulation } from './simulation';

const DEADLINE = { progressDeadlineSeconds: 60, progressDeadlineAbort: true };
const WHY = 'the server may not scale in shop';

/** A rollout in the middle of its second stage, whose old side is to give pods. */
function underWay(control: object = {}): Simulation {
  const simulation = aSimulation(4, { overConsumptionRatio: 25, control: { gates: 'every-stage', ...control } });
  simulation.settle();
  simulation.decide({ verb: 'approve' });
  simulation.pass();
  return simulation;
}

function decided(simulation: Simulation, view: object = {}, more: object = {}): RolloutDecision {
  const seen = simulation.observe();
  return decide({ ...seen, ...more, view: { ...seen.view, ...view } }, simulation.now);
}

describe('a pass over what the server may not scale', () => {
  it('[issue 10.1] scales nothing, says so in a condition, and looks again in half a minute', () => {
    const simulation = aSimulation(4, { overConsumptionRatio: 25, control: { gates: 'every-stage' } });
    simulation.settle();
    simulation.pass([simulation.decision({ verb: 'approve' })], 'actions');
    expect(decided(simulation).scales.writes).not.toEqual([]);
    const held = decided(simulation, { ungranted: WHY });
    expect(held.scales).toEqual({ ranges: [], writes: [], waits: [] });
    expect(held.status?.conditions).toContainEqual(expect.objectContaining({ type: 'Granted', status: 'False', message: WHY }));
    expect(held.requeueAfterMs).toBe(30_000);
    expect(decided(simulation).status?.conditions.map(({ type }) => type)).not.toContain('Granted');
  });

  it('[issue 10.1] begins no stage, though its gate is open, and no deadline of it runs', () => {
    const simulation = aSimulation(4, {
      overConsumptionRatio: 25,
      control: { gates: 'every-stage', progressDeadlineSeconds: 60, progressDeadlineAbort: true },
    });
    simulation.settle();
    const approval = simulation.decision({ verb: 'approve' });
    const held = decided(simulation, { ungranted: WHY }, { decisions: [approval] });
    expect(held.verdicts).toMatchObject([{ phase: 'Accepted' }]);
    expect(held.control).toMatchObject({ state: 'boundary', stage: 1 });
    const late = underWay(DEADLINE);
    late.advance(3600);
    expect(decided(late, { ungranted: WHY }).control?.state).toBe('stage');
    expect(decided(late).control?.state).toBe('returning');
  });

  it('[issue 10.7] deletes no pod that is stuck on its way out, and sets bounds all the same', () => {
    const simulation = aSimulation(4, { overConsumptionRatio: 25, rolloutStrategy: 'resourceutil' });
    for (let turn = 0; turn < 3; turn++) simulation.pass();
    const going = toKubeTime(toInstant(simulation.now - 60_000));
    const labels = { [REVISION_LABEL]: 'web-v1' };
    const metadata = { name: 'web-v1-a', labels, deletionTimestamp: going, deletionGracePeriodSeconds: 30 };
    simulation.pods = [readPod({ ...KINDS.pod, metadata, status: { phase: 'Running' } })];
    simulation.bounds.set('web-v1', { stageMinScale: 9, stageMaxScale: 9 });
    const named = (actions: RolloutDecision['actions']) => [...new Set(actions.map(({ verb, kind, name }) => `${verb} ${kind} ${name}`))];
    expect(named(decided(simulation).actions)).toEqual(['update StagePodAutoscaler web-v1', 'delete Pod web-v1-a']);
    expect(named(decided(simulation, { ungranted: WHY }).actions)).toEqual(['update StagePodAutoscaler web-v1']);
  });
});

describe('a pass over what cannot be seen', () => {
  it('[rollout 14.2] is followed by another in five seconds', () => {
    const simulation = underWay();
    simulation.readable = false;
    expect(decided(simulation).requeueAfterMs).toBe(5000);
  });

  it('[issue 10.7] aborts nothing for a progress that nobody could see', () => {
    const simulation = underWay(DEADLINE);
    simulation.advance(3600);
    simulation.readable = false;
    const { control } = decided(simulation);
    expect(control?.state).toBe('stage');
    simulation.readable = true;
    expect(decided(simulation).control?.state).toBe('returning');
  });
});

describe('a stage that makes no progress', () => {
  it('[rollout 14.7] is looked at again when its deadline is over, and not before', () => {
    const simulation = underWay({ progressDeadlineSeconds: 60 });
    expect(decided(simulation).requeueAfterMs).toBe(60_000);
    simulation.advance(10);
    expect(decided(simulation).requeueAfterMs).toBe(50_000);
  });

  it('[issue 10.7] is not looked at without a pause in between once its deadline is over', () => {
    const simulation = underWay({ progressDeadlineSeconds: 60 });
    simulation.advance(61);
    expect(simulation.told.phase).toBe('Degraded');
    expect(decided(simulation).requeueAfterMs).toBeGreaterThan(1000);
  });
});

describe('a stage that somebody took out of the spec while it was under way', () => {
  const takenOut = (): Simulation => {
    const simulation = underWay(DEADLINE);
    simulation.settle();
    simulation.decide({ verb: 'approve' });
    simulation.pass();
    simulation.change({ stageTargetRevisions: undefined, targetFinishTime: undefined });
    return simulation;
  };

  it('[issue 10.7] is planned anew from where the spec starts, without a gate before it, and no deadline ran while there was none', () => {
    const simulation = takenOut();
    simulation.advance(3600);
    const begun = decided(simulation);
    expect(begun.spec.stageTargetRevisions).toMatchObject([{ revisionName: 'web-v1' }, { revisionName: 'web-v2', percent: 25 }]);
    // What runs is all that this one wants, so that the gate after it is next.
    expect(begun.control).toMatchObject({ state: 'boundary', stage: 3 });
  });

  it('[issue 10.7] does not begin while it is paused, cannot be seen or may not be moved', () => {
    const simulation = takenOut();
    expect(decided(simulation, { ungranted: WHY }).spec.stageTargetRevisions).toBeUndefined();
    simulation.readable = false;
    expect(decided(simulation).spec.stageTargetRevisions).toBeUndefined();
    simulation.readable = true;
    const paused = decided(simulation, {}, { decisions: [simulation.decision({ verb: 'pause' })] });
    expect(paused.verdicts).toMatchObject([{ phase: 'Accepted' }]);
    expect(paused.spec.stageTargetRevisions).toBeUndefined();
  });
});

describe('a rollout that stays as it is', () => {
  const taken = { revision: 'web-v2', by: 'other' };

  it('[design 14] answers each decision with why, writes no part of its spec anew, and looks again', () => {
    const simulation = underWay();
    const decisions = [simulation.decision({ verb: 'abort' }), simulation.decision({ verb: 'approve' }, 'ben')];
    const held = decided(simulation, { taken }, { decisions });
    expect(held.verdicts.map(({ decision, phase }) => [decision, phase])).toEqual(decisions.map((decision) => [decision, 'Rejected']));
    expect(new Set(held.verdicts.map(({ message }) => message)).size).toBe(1);
    expect(held.spec.stageTargetRevisions).toEqual(simulation.stage);
    expect(held.spec.targetFinishTime).toBe(simulation.spec.targetFinishTime);
    expect([held.actions, held.scales.writes, held.scales.ranges, held.status, held.requeueAfterMs]).toEqual([[], [], [], undefined, 5000]);
    expect(held.control).toMatchObject({ phase: 'Degraded', state: 'stage' });
  });

  it('[design 14] keeps a state that cannot be read, says of a spec that cannot that it is so, and waits for somebody', () => {
    const simulation = underWay();
    const { ro } = simulation.observe().view;
    const of = (field: string) => decided(simulation, { ro: { ...ro, fault: { field, problem: 'is no list' } } });
    expect([of('status.control').control, of('status.control').requeueAfterMs]).toEqual([undefined, undefined]);
    expect(of('spec.targetRevisions').control).toMatchObject({ phase: 'Degraded', state: 'stage' });
    expect(of('spec.targetRevisions').requeueAfterMs).toBeUndefined();
  });
});

describe('a pass', () => {
  it('[rollout 8.4] says what keeps it from going on, and nothing where that is not so', () => {
    const simulation = aSimulation(4);
    expect(decided(simulation).fault?.message).toBe('StagePodAutoscaler web-v2 does not exist yet');
    simulation.settle();
    expect(decided(simulation).fault).toBeUndefined();
  });

  it('[rollout 14.2] is followed by another when what it looked at changes by time alone, and else by none', () => {
    const simulation = aSimulation(4);
    simulation.settle();
    expect(decided(simulation).requeueAfterMs).toBeUndefined();
    expect(decided(simulation, {}, { changesAt: toInstant(simulation.now + 7000) }).requeueAfterMs).toBe(7000);
  });
});

describe('decisions of one pass', () => {
  it('[rollout 14.2] are judged in the order in which they were made, and by name where that was at once', () => {
    const simulation = aSimulation(4, { overConsumptionRatio: 25, control: { gates: 'every-stage' } });
    simulation.settle();
    const at = (seconds: number) => toKubeTime(toInstant(simulation.now + seconds * 1000));
    const named = (name: string, seconds: number) => ({ ...simulation.decision({ verb: 'pause' }), name, createdAt: at(seconds) });
    const [first, second, third, fourth] = [named('z', 0), named('b', 1), named('c', 1), named('a', 2)];
    for (const decisions of [
      [fourth, third, second, first],
      [second, fourth, first, third],
      [third, first, fourth, second],
    ])
      expect(decided(simulation, {}, { decisions }).verdicts.map(({ decision, phase }) => [decision.name, phase])).toEqual([
        ['z', 'Accepted'],
        ['b', 'Rejected'],
        ['c', 'Rejected'],
        ['a', 'Rejected'],
      ]);
  });

  it('[design 14] are refused where nobody may make them now, with the reason, and have no effect', () => {
    const simulation = underWay();
    const decisions = [simulation.decision({ verb: 'pause' }), simulation.decision({ verb: 'abort' })];
    const blocked = decided(simulation, {}, { decisions, decisionsBlockedReason: new Map([['pause', 'names are not tied to people']]) });
    expect(blocked.verdicts.map(({ phase, message }) => [phase, message])).toEqual([
      ['Rejected', 'names are not tied to people'],
      ['Accepted', 'aborts the rollout to web-v2: because'],
    ]);
    expect(blocked.control?.state).toBe('returning');
  });
});
