import { expect, it } from 'vitest';
import { aSimulation } from './simulation';

it.each([
  ['a gate that opens by itself', { pause: { duration: '2m' } }, 'StageGate'],
  ['a soak', { gates: 'none', requiredSoakTime: '2m' }, 'SoakTime'],
])('[rollout 14.5] a pause stops the time of %s, however long it takes', (_what, control, reason) => {
  const simulation = aSimulation(4, { control: { gates: 'every-stage', ...control }, overConsumptionRatio: 25 });
  simulation.settle();
  simulation.advance(60);
  simulation.decide({ verb: 'pause' });
  simulation.settle();
  simulation.advance(3600);
  simulation.decide({ verb: 'resume' });
  simulation.settle();
  expect(simulation.control.pauseConditions.map((condition) => condition.reason)).toEqual([reason]);
  simulation.advance(59);
  simulation.settle();
  expect(simulation.control.completedStages).toBe(1);
  simulation.advance(2);
  simulation.settle();
  expect(simulation.control.completedStages).toBe(2);
});
