import type { Rights } from '@/components/live/rights';
import { CHECKING, refusalIn } from '@/components/live/rights';
import type { Staleness } from '@/components/live/staleness';
import { refusalWhileAway, refusalWhileStale } from '@/components/live/staleness';
import type { Activity } from '@/lib/contract/health';
import type { ActionView, RightsView } from '@/lib/contract/rollout-rows';
import type { DecisionVerb } from '@/lib/contract/stage-decision';
import { verbIs } from '@/lib/contract/stage-decision';
import { t } from '@/lib/words/catalogue/delivery/rollouts';

/** How much an action weighs: what leads on, what stops for a while, what goes back. */
export const VERB_WEIGHT: Readonly<Record<DecisionVerb, 'primary' | 'secondary' | 'warning'>> = {
  approve: 'primary',
  advance: 'secondary',
  'promote-full': 'secondary',
  pause: 'secondary',
  resume: 'primary',
  retry: 'secondary',
  abort: 'warning',
  rollback: 'warning',
  loosen: 'warning',
};

const ONLY_WHERE_ALLOWED: readonly DecisionVerb[] = ['retry', 'resume', 'loosen'];

/**
 * The actions worth showing. Of pause and resume one is meant at a time, a retry only means something after an abort, and a
 * rollout that rests shows what can be done and not a row of what cannot.
 */
export function shownActions(actions: readonly ActionView[], activity: Activity): readonly ActionView[] {
  const isPaused = actions.some((action) => action.verb === 'resume' && action.allowed);
  return actions.filter(({ verb, allowed }) => {
    if (activity === 'idle' || activity === 'aborted' || ONLY_WHERE_ALLOWED.includes(verb)) return allowed;
    return verb !== 'pause' || !isPaused;
  });
}

/** Why an action cannot be taken now: the state first, then the right, then that nobody answers or what is shown is old. Null when it can. */
export function refusalOf(action: ActionView, rights: Rights<RightsView>, staleness: Staleness | null): string | null {
  if (!action.allowed) return action.why ?? t.thisIsNotPossibleNow;
  const right = refusalIn(rights, action.verb);
  if (right !== null) return right;
  return verbIs(action.verb, 'restsOnSeen') ? refusalWhileStale(staleness) : refusalWhileAway(staleness);
}

/**
 * The one sentence that keeps from everything the state would allow; it stands for all to read, and not behind each button.
 * What passes in a moment gets no line of its own: the buttons would move under the pointer.
 */
export function sharedRefusal(refusals: readonly (string | null)[]): string | null {
  const [first] = refusals;
  return first !== undefined && first !== CHECKING && refusals.every((refusal) => refusal === first) ? first : null;
}

/** Whether what a dialog showed when it was opened is still what would be decided. */
export function isSameDecision(opened: ActionView, current: ActionView | undefined): boolean {
  return (
    current !== undefined &&
    current.stage === opened.stage &&
    current.revision === opened.revision &&
    current.seen.rollout === opened.seen.rollout &&
    current.seen.garbage === opened.seen.garbage &&
    current.seen.policy === opened.seen.policy
  );
}
