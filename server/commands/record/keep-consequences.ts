import type { DecisionRequest } from '@/lib/contract/requests';
import { toIso } from '@/lib/std/instant';
import type { Session } from '@/server/auth';
import type { Accepted, CommandDeps, Place } from '../command-deps';

interface Deciding {
  readonly place: Place;
  readonly request: DecisionRequest;
}

/**
 * Keeps what a person was told that their decision does, by the uid of the decision. Taken before it is written, since it changes the rollout. What the
 * page showed has the digest that the request names; where the rollout has moved on, nothing is kept. No decision waits for this, which fails for nobody:
 * an abort counts while nothing can be stored.
 */
export function keepConsequences(
  deps: CommandDeps,
  session: Session,
  { place, request: { verb, seen } }: Deciding,
): (made: Accepted) => Accepted {
  const told = deps.consequencesOf(place, verb);
  const isShown = told !== null && (seen?.rollout === undefined || seen.rollout === told.digest);
  return (made) => {
    const digest = made.accepted.uid;
    if (isShown && digest !== null) {
      const about = { digest, ...place, at: toIso(deps.clock.now()), by: session.user, base: '' };
      void deps.consequencesShown.keep({ ...about, preview: told.sentences }); // the record has the digests all the same
    }
    return made;
  };
}
