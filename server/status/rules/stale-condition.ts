import type { RuleRow } from './rule';

/** How a row ends whose condition speaks of another generation: there is no `status.observedGeneration` to compare with. */
export const STALE_CONDITION = {
  status: 'InProgress',
  reason: 'LatestGenerationNotObserved',
  message: '{.kind} generation is {.metadata.generation}, but condition {condition.type} is of generation {condition.observedGeneration}',
} as const satisfies Omit<RuleRow, 'when'>;
