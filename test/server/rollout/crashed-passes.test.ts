import { describe, expect, it } from 'vitest';
import type { DecisionVerb } from '@/lib/contract/stage-decision';
import { readFields } from '@/lib/kube/fields';
import { followTarget } from '@/server/rollout/control/transitions';
import { anEntry, aSimulation, Simulation } from './simulation';

const GATED = { overConsumptionRatio: 25, control: { gates: 'every-stage' } };

/** A rollout that came to a first revision by itself, and is asked for the next one as its application asks. */
function askedForNext(): Simulation {
  const simulation = new Simulation({ targetRevisions: [anEntry('web-v1', 4)], rolloutStrategy: 'availability', ...GATED });
  simulation.deploy('web-v1', 4);
  simulation.settle();
  expect(simulation.told.phase).toBe('Healthy');
  return askFor(simulation, 'web-v1', 'web-v2');
}

function askFor(simulation: Simulation, from: string, to: string): Simulation {
  simulation.deploy(to, 0);
  const { stageTargetRevisions: _stage, targetFinishTime: _finish, ...spec } = simulation.spec;
  simulation.change({ ...spec, initialRevisions: [anEntry(from, 4)], targetRevisions: [anEntry(to, 4)] });
  return simulation;
}

function atGate(control: object = {}): Simulation {
  const simulation = aSimulation(4, { ...GATED, control: { ...GATED.control, ...control } });
  simulation.settle();
  expect(simulation.control.completedStages).toBe(1);
  return simulation;
}

describe('a pass that dies once the stage is written, before it is noted', () => {
  it('[issue 10.6] begins a rollout from where it is: it waits at its gates, and an abort goes back there', () => {
    const simulation = askedForNext();
    simulation.pass([], 'spec');
    simulation.settle();
    expect(simulation.control).toMatchObject({ phase: 'Paused', completedStages: 1, stable: [{ revisionName: 'web-v1' }] });
    simulation.decide({ verb: 'abort', reason: 'errors' });
    simulation.settle();
    expect([simulation.deployments.get('web-v1')?.replicas, simulation.deployments.get('web-v2')?.replicas]).toEqual([4, 0]);
  });

  it('[issue 10.6] goes back to the revision that ran last, and to none from before it', () => {
    const simulation = aSimulation(4, GATED);
    simulation.settle();
    simulation.decide({ verb: 'promote-full' });
    simulation.settle();
    expect(simulation.told.phase).toBe('Healthy');
    askFor(simulation, 'web-v2', 'web-v3').pass([], 'spec');
    simulation.settle();
    expect(simulation.control).toMatchObject({ phase: 'Paused', completedStages: 1, stable: [{ revisionName: 'web-v2' }] });
  });

  it.each(['approve', 'advance', 'promote-full'] as const)(
    '[issue 10.6] has the %s that opened the gate accepted, once',
    (verb: DecisionVerb) => {
      const [broken, whole] = [atGate(), atGate()].map((simulation) => {
        const decision = simulation.decision({ verb, seen: { ...simulation.decision({ verb }).spec.seen, garbage: 'sha256:seen' } });
        return { simulation, decision };
      });
      if (broken === undefined || whole === undefined) throw new Error('there are two');
      broken.simulation.pass([broken.decision], 'spec');
      for (const { simulation, decision } of [broken, whole]) {
        simulation.pass([decision]);
        expect(simulation.verdicts.map(({ phase }) => phase)).toEqual(['Accepted']);
        simulation.settle();
      }
      const ending = ({ simulation: { control } }: typeof whole) => ({
        phase: control.phase,
        stages: control.completedStages,
        gates: control.rollout?.gates,
        garbage: control.seenGarbage,
      });
      expect(ending(broken)).toEqual(ending(whole));
      expect(ending(whole).garbage).toBe('sha256:seen');
    },
  );

  it('[issue 10.2] accepts no more for it than at the gate: not what was seen otherwise, nor of whom the policy does not ask', () => {
    const simulation = atGate({ approvals: { groups: ['sre'] } });
    const sre = { user: 'ann', groups: ['sre'] };
    simulation.pass([simulation.decision({ verb: 'approve', actor: sre })], 'spec');
    const others = [
      simulation.decision({ verb: 'approve', actor: { user: 'eve', groups: [] } }),
      simulation.decision({ verb: 'approve', actor: sre, seen: { rollout: 'sha256:other' } }),
      simulation.decision({ verb: 'approve', actor: sre, stage: 2 }),
    ];
    for (const other of others) simulation.pass([other], 'spec');
    simulation.pass(others);
    expect(simulation.verdicts.map(({ phase }) => phase)).toEqual(['Rejected', 'Rejected', 'Rejected']);
    // Nobody opened the gate, as far as anybody knows.
    simulation.settle();
    expect(simulation.control).toMatchObject({ phase: 'Paused', completedStages: 1 });
    expect(simulation.decide({ verb: 'approve', actor: sre }).phase).toBe('Accepted');
  });
});

describe('where a pass goes on from', () => {
  const followed = (simulation: Simulation) => {
    const { view } = simulation.observe();
    return { view, next: followTarget(view, simulation.now) };
  };
  /** The rollout without what its status says of these. */
  const forget = (simulation: Simulation, ...members: readonly string[]) => {
    const status = Object.entries(readFields(simulation.ro, 'status')).filter(([member]) => !members.includes(member));
    simulation.ro = { ...simulation.ro, status: Object.fromEntries(status) };
    return simulation;
  };

  it('[issue 10.6] is the very state that is remembered, at a gate and behind one that was lost', () => {
    const { view, next } = followed(atGate());
    expect(next).toBe(view);
    const lost = followed(forget(atGate(), 'stageRevisionStatus'));
    expect(lost.next).toBe(lost.view);
  });

  it('[issue 10.6] is before the first stage where that was written and not noted, whatever stage was reached before', () => {
    const simulation = aSimulation(4, { ...GATED, control: { ...GATED.control, autoPromotionEnabled: false } });
    simulation.settle();
    simulation.pass([simulation.decision({ verb: 'approve' })], 'spec');
    expect(simulation.stage).not.toEqual([]);
    const reached = [anEntry('web-v1', 4)];
    simulation.ro = { ...simulation.ro, status: { ...readFields(simulation.ro, 'status'), stageRevisionStatus: reached } };
    expect(followed(simulation).next.ro.rollout.spec.stageTargetRevisions).toBeUndefined();
  });

  it('[issue 9.3] is the gate after the stage that was reached, closed, where nothing is remembered', () => {
    const { control } = followed(forget(atGate(), 'control')).next;
    expect(control).toMatchObject({ state: 'boundary', stage: 1, percent: 25, approvals: [], votes: [] });
    const { stages = [], gates = [] } = 'attempt' in control ? (control.attempt ?? {}) : {};
    expect(gates).toEqual([]);
    expect(stages).toMatchObject([
      {
        index: 1,
        revisions: [
          { revision: 'web-v1', percent: 75 },
          { revision: 'web-v2', percent: 25 },
        ],
      },
    ]);
  });

  it('[issue 9.3] is a gate before everything where somebody else made a stage without the target', () => {
    const simulation = forget(atGate(), 'control');
    const stage = [{ revisionName: 'web-v1', percent: 100 }];
    simulation.ro = {
      ...simulation.ro,
      spec: { ...simulation.spec, stageTargetRevisions: stage },
      status: { ...readFields(simulation.ro, 'status'), stageRevisionStatus: stage },
    };
    expect(followed(simulation).next.control).toMatchObject({ state: 'boundary', stage: 1, percent: 0 });
  });
});
