import type { Session } from '@/server/auth';
import type { Clock } from '@/server/platform';
import { steadyMsOf } from '@/server/platform';

const WINDOW_MS = 10_000;
/** All pages of a person that connect anew at once stay below it. */
const MOST_MESSAGES = 600;

/** Counts a message of a session; false when all its sockets together have sent more than its pages would. */
export type Allowance = (session: Pick<Session, 'id'>) => boolean;

/** A new topic is computed over every row there is, so a session may ask for so many within ten seconds, over however many sockets. */
export function createAllowance(clock: Clock): Allowance {
  const said = new Map<string, number>();
  let since = steadyMsOf(clock);
  return ({ id }) => {
    if (steadyMsOf(clock) - since >= WINDOW_MS) {
      said.clear();
      since = steadyMsOf(clock);
    }
    const messages = (said.get(id) ?? 0) + 1;
    said.set(id, messages);
    return messages <= MOST_MESSAGES;
  };
}
