import type { DecisionRequest } from '../requests';
import type { ActionView, RolloutDetail } from '../rollout-rows';
import type { DecisionVerb } from '../stage-decision';
import { verbIs } from '../stage-decision';
import { reasonOf } from './reason-of';

interface Shown {
  readonly action: ActionView;
  /** Digest of what the end deletes, where it was read once more to be shown; else that of the action. */
  readonly garbage?: string | undefined;
}

/** The decision as it is sent: it names what was seen, so that exactly this is decided or nothing. */
export function toDecisionRequest(
  uid: string,
  { action, garbage = action.seen.garbage ?? undefined }: Shown,
  reason = '',
): DecisionRequest {
  return {
    verb: action.verb,
    uid,
    ...(verbIs(action.verb, 'namesStage') && action.stage !== null ? { stage: action.stage } : {}),
    ...(action.revision === null ? {} : { revision: action.revision }),
    ...reasonOf(reason),
    ...(verbIs(action.verb, 'restsOnSeen')
      ? {
          seen: {
            ...(action.seen.rollout === null ? {} : { rollout: action.seen.rollout }),
            ...(garbage === undefined ? {} : { garbage }),
            ...(action.seen.policy === null ? {} : { policy: action.seen.policy }),
          },
        }
      : {}),
  };
}

/** What else holds a rollout, beside what it waits for first: the headline is a gate, and behind it pods may crash. */
export function unmetOf({ wait: { sentence, clauses } }: Pick<RolloutDetail, 'wait'>): readonly string[] {
  return clauses.flatMap(({ text, met }) => (met || text === sentence ? [] : [text]));
}

/** The same for who would let it go on by this verb; nothing for any other. */
export function unmetBefore(verb: DecisionVerb, rollout: Pick<RolloutDetail, 'wait'>): readonly string[] {
  return verb === 'resume' || verbIs(verb, 'leadsOn') ? unmetOf(rollout) : [];
}
