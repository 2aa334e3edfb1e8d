import type { Outcome } from '../../reconciler';
import { settled } from '../../reconciler';
import type { RunContext } from './run-context';

/** Where the resources of a run leave what they ask for. */
export interface OutcomeBox {
  outcome: Outcome;
}

const KEY = Symbol('outcomeBox');

/** A box in which nothing is asked for. */
export function newOutcomeBox(): OutcomeBox {
  return { outcome: settled() };
}

/** The context with the box in which its pass leaves what it came to. */
export function withOutcomeBox(context: RunContext, box: OutcomeBox): RunContext {
  return context.with(KEY, box);
}

/** Leaves an outcome for whoever started the run; of several the soonest look counts. Where no box is installed it is dropped. */
export function setOutcome(context: RunContext, outcome: Outcome): void {
  const box = context.value(KEY) as OutcomeBox | undefined;
  if (box === undefined || outcome.kind === 'settled') return;
  if (box.outcome.kind === 'settled' || outcome.ms < box.outcome.ms) box.outcome = outcome;
}
