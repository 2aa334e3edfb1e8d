import type { AttemptDescription, StageDescription } from '@/server/rollout';
import type { Simulation } from './simulation';
import { aSimulation } from './simulation';

/** When every simulation begins. */
export const START = '2026-01-01T09:00:00.000Z';
/** Four stages, a gate after the second. */
export const MIDWAY = { overConsumptionRatio: 25, control: { gates: [{ atPercent: 50 }] } };
/** Two stages, a gate after the first. */
export const GATED = { overConsumptionRatio: 50, control: { gates: 'every-stage' } };

/** Stages as a line each. */
export const railOf = (stages: readonly StageDescription[] = []) =>
  stages.map(({ way, index, percent, gate, outcome }) => `${way} ${index} ${percent}% ${gate} ${outcome}`);

/** The attempt that is described; throws where there is none. */
export function attemptOf({ told }: Simulation): AttemptDescription {
  if (told.attempt === null) throw new Error('no attempt');
  return told.attempt;
}

/** Three of four stages are behind or under way: the second was approved at its gate, a minute after the first began. */
export function inThirdStage(): Simulation {
  const simulation = aSimulation(4, MIDWAY);
  simulation.settle();
  simulation.advance(60);
  simulation.decide({ verb: 'approve' }, 'mara');
  simulation.pass();
  simulation.settlePods(['web-v1']);
  return simulation;
}
