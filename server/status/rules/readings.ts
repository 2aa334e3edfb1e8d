import { condition, currentIf, failedIf, has, is, progressingIf, unobserved } from './rows';
import type { RuleRow } from './rule';
import { STALE_CONDITION } from './stale-condition';

/** How a controller uses one condition to sum up the object. */
export interface SummaryReading {
  readonly by: string;
  /** `Ready` when absent. */
  readonly type?: string;
  /** Reasons for which False means "not yet". */
  readonly waiting?: readonly string[];
  /** The only reasons for which False means "broken"; every reason that is not waiting when absent. */
  readonly broken?: readonly string[];
  /** What is said while it is True. */
  readonly says?: string;
}

/** One positive condition tells everything: True is well, False is broken unless its reason says "not yet", Unknown is under way. */
export function summaryRows({
  by,
  type = 'Ready',
  waiting = [],
  broken,
  says = '{condition.message}',
}: SummaryReading): readonly RuleRow[] {
  return [
    { when: [{ condition: type, stale: true }], ...STALE_CONDITION },
    currentIf(condition(type, 'True'), says),
    ...(waiting.length > 0 ? [progressingIf(condition(type, 'False', waiting))] : []),
    failedIf(broken === undefined ? condition(type, 'False') : condition(type, 'False', broken)),
    progressingIf(condition(type)),
    unobserved(by),
  ];
}

/** How a controller sums up the object in one word. */
export interface PhaseReading {
  readonly by: string;
  /** Where the word stands; `.status.phase` when absent. */
  readonly at?: string;
  readonly current: readonly string[];
  readonly failed: readonly string[];
  /** Words for which somebody must act before it goes on, or that mean "not now". They are InProgress and say so. */
  readonly waiting?: readonly string[];
  /** Where the controller explains the word. */
  readonly says?: string;
}

/** One word tells everything; a word that is not known is under way, since only what is known to be well is Current. */
export function phaseRows({ by, at = '.status.phase', current, failed, waiting = [], says }: PhaseReading): readonly RuleRow[] {
  const explained = says === undefined ? `{.kind} is {${at}}` : `{.kind} is {${at}}. {${says}}`;
  return [
    failedIf(is(at, ...failed), explained, `{${at}}`),
    currentIf(is(at, ...current), `{.kind} is {${at}}`),
    ...(waiting.length > 0 ? [progressingIf(is(at, ...waiting), explained, `{${at}}`)] : []),
    progressingIf(has(at), explained, `{${at}}`),
    unobserved(by),
  ];
}
