import { describe, expect, it } from 'vitest';
import type { Simulation } from './simulation';
import { aSimulation } from './simulation';

const replicasOf = ({ deployments }: Simulation) => Object.fromEntries([...deployments].map(([name, { replicas }]) => [name, replicas]));

/** A rollout that waits at its second gate, with half of its pods on either side. */
function half(): Simulation {
  const simulation = aSimulation(4, { overConsumptionRatio: 25, control: { gates: 'every-stage' } });
  simulation.settle();
  simulation.decide({ verb: 'approve' });
  simulation.settle();
  expect(replicasOf(simulation)).toEqual({ 'web-v1': 2, 'web-v2': 2 });
  return simulation;
}

describe('the way back', () => {
  it.each<[string, (simulation: Simulation) => void]>([
    ['the policy pauses the rollout', (simulation) => simulation.change({ paused: true })],
    ['a person has paused it before', (simulation) => void simulation.decide({ verb: 'pause' })],
    [
      'the policy waits before the first stage',
      (simulation) => simulation.change({ control: { gates: 'every-stage', autoPromotionEnabled: false } }),
    ],
    [
      'the policy wants every stage to stay healthy for a day',
      (simulation) => simulation.change({ control: { gates: 'every-stage', requiredSoakTime: '24h' } }),
    ],
  ])('[rollout 14.6] is held by no gate, pause or soak: %s', (_what, act) => {
    const simulation = half();
    act(simulation);
    simulation.settle();
    expect(simulation.decide({ verb: 'abort' }).phase).toBe('Accepted');
    simulation.settle();
    expect(replicasOf(simulation)).toEqual({ 'web-v1': 4, 'web-v2': 0 });
    expect(simulation.stored.state).toBe('aborted');
  });

  it('[rollout 14.6] begins while the pods cannot be seen: the stable side grows, and the rejected pods stay until they can', () => {
    const simulation = half();
    simulation.readable = false;
    expect(simulation.decide({ verb: 'abort' }).phase).toBe('Accepted');
    for (let turn = 0; turn < 20; turn++) {
      simulation.pass();
      simulation.settlePods();
    }
    expect(replicasOf(simulation)).toEqual({ 'web-v1': 4, 'web-v2': 2 });
    expect(simulation.stored.state).toBe('returning');
    simulation.readable = true;
    simulation.settle();
    expect(replicasOf(simulation)).toEqual({ 'web-v1': 4, 'web-v2': 0 });
    expect(simulation.stored.state).toBe('aborted');
  });
});
