import type { CaseDifference, CaseResult } from './case';
import { toResult } from './case';
import { runEngineCase } from './polling/engine-cases';
import { runAggregateCase, runAugmentCase, runCollectorCase, runEqualityCase, runIdentifierCase } from './polling/plain-cases';
import type { PollingCase } from './polling/schema';
import { pollingCase } from './polling/schema';
import { runWatchCase } from './polling/watch-cases';

const RUNNERS: Readonly<Record<string, (testCase: PollingCase) => Promise<readonly CaseDifference[]>>> = {
  engine: runEngineCase,
  watch: runWatchCase,
  aggregate: runAggregateCase,
  equality: runEqualityCase,
  collector: runCollectorCase,
  identifier: runIdentifierCase,
  augment: runAugmentCase,
};

/** Runs a case of everything around Compute by its subject. */
export async function runPollingCase(testCase: unknown): Promise<CaseResult> {
  const parsed = pollingCase.parse(testCase);
  const run = RUNNERS[parsed.subject];
  if (run === undefined) return { kind: 'unanswered', why: `nothing answers the subject ${parsed.subject}` };
  return toResult(await run(parsed));
}
