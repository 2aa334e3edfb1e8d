import { describe, expect, it } from 'vitest';
import { pausedBecauseOf } from '@/server/rollout/control/control-facts';
import { decide } from '@/server/rollout/decide';
import type { ManualScaling } from '@/server/rollout/model';
import type { Simulation } from './simulation';
import { aSimulation } from './simulation';

const GATED = { overConsumptionRatio: 25, control: { gates: 'every-stage' } };

/** A rollout that waits at its gate with three replicas of its old side and one of the new. */
function atGate(): Simulation {
  const simulation = aSimulation(4, GATED);
  simulation.settle();
  return simulation;
}

let told = 0;
const scaling = (revision: string, to: number, id = `scaling-${++told}`): ManualScaling => ({
  id,
  revision,
  from: '3',
  to: `${to}`,
  by: 'eve',
});

/** A pass after somebody scaled, whose memory is kept; answers what it tells and why it pauses. */
function noted(simulation: Simulation, scaled: readonly ManualScaling[]) {
  const { control } = decide({ ...simulation.observe(), scaledByHand: scaled }, simulation.now);
  if (control === undefined) throw new Error('nothing is remembered');
  simulation.ro = { ...simulation.ro, status: { ...(simulation.ro.status as object), control } };
  const lines = control.history.flatMap(({ action, message }) => (action === 'rollout.scaled-by-hand' ? message : []));
  return { lines, held: pausedBecauseOf(control) };
}

/** Somebody scales a revision, and a pass comes by. */
function scale(simulation: Simulation, revision = 'web-v1', to = 7, id?: string) {
  simulation.deploy(revision, to);
  return noted(simulation, [scaling(revision, to, id)]);
}
const line = (revision = 'web-v1', to = 7) => `${revision} was scaled from 3 to ${to} by eve, and is being reverted`;

describe('what somebody scales by hand', () => {
  it('[rollout 13.2] is told with who did it, and holds nothing the first time', () => {
    expect(scale(atGate())).toEqual({ lines: [line()], held: undefined });
  });

  it('[rollout 13.2] holds the rollout the second time within a minute, and not a minute after', () => {
    const soon = atGate();
    scale(soon);
    soon.advance(59.999);
    expect(scale(soon, 'web-v2', 5)).toEqual({
      lines: [line(), line('web-v2', 5)],
      held: `${line('web-v2', 5)}, for the second time within a minute`,
    });
    const later = atGate();
    scale(later);
    later.advance(60);
    expect(scale(later)).toEqual({ lines: [line(), line()], held: undefined });
    later.advance(30);
    expect(scale(later).held).toContain('for the second time within a minute');
  });

  it('[rollout 13.2] is one scaling still where its revert lost against another write', () => {
    const simulation = atGate();
    scale(simulation, 'web-v1', 7, 'one');
    expect(scale(simulation, 'web-v1', 7, 'one')).toEqual({ lines: [line()], held: undefined });
    // Told twice and the first of them once more: nothing of it is new.
    scale(simulation, 'web-v1', 8, 'two');
    expect(scale(simulation, 'web-v1', 7, 'one').lines).toHaveLength(2);
  });

  it('[rollout 13.2] is told twice a minute at the most', () => {
    const simulation = atGate();
    for (let turn = 0; turn < 5; turn++) expect(scale(simulation, 'web-v1', 5 + turn).lines).toHaveLength(Math.min(turn + 1, 2));
    simulation.advance(60);
    expect(scale(simulation).lines).toHaveLength(3);
  });

  it('[rollout 13.2] is told of what is reverted alone, be it a count or what an autoscaler may choose from', () => {
    const simulation = atGate();
    simulation.deploy('web-v1', 7);
    expect(noted(simulation, [scaling('web-v2', 1), scaling('web-v1', 7), scaling('web-v9', 2)])).toEqual({
      lines: [line()],
      held: undefined,
    });
    const ranged = aSimulation(4, GATED);
    for (const revision of ['web-v1', 'web-v2']) ranged.autoscale(revision, 4, 4);
    ranged.settle();
    ranged.autoscale('web-v1', 1, 9);
    expect(noted(ranged, [scaling('web-v2', 1), scaling('web-v1', 9)]).lines).toEqual([line('web-v1', 9)]);
    expect(noted(atGate(), [scaling('web-v1', 3)])).toEqual({ lines: [], held: undefined });
  });

  it('[rollout 13.2] leaves the pause of a person theirs', () => {
    const simulation = atGate();
    simulation.decide({ verb: 'pause' });
    scale(simulation);
    expect(scale(simulation, 'web-v2', 6)).toEqual({ lines: [line(), line('web-v2', 6)], held: undefined });
    expect(simulation.stored).toMatchObject({ paused: true });
  });
});
