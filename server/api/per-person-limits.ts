import { AppError } from '@/lib/contract/app-error';
import { Semaphore } from '@/lib/std/semaphore';
import type { Session } from '@/server/auth';
import type { Release } from '@/server/platform';

/** Begins a walk over the whole record for a person; throws too-many while they have another one under way. */
export type BeginExport = (session: Pick<Session, 'user'> | undefined) => Release;

/** Exporting and checking the record reads all of it, so each person does so once at a time, over however many sessions. */
export function limitExports(): BeginExport {
  const reading = new Set<string>();
  return (session) => {
    const user = session?.user ?? '';
    if (reading.has(user))
      throw new AppError('too-many', `${user} is already exporting or verifying the record; wait until that is done, or cancel it`);
    reading.add(user);
    let over = false;
    return () => {
      if (!over) reading.delete(user);
      over = true;
    };
  };
}

/** What costs much is done for a person so often at once; the others wait, in the order of asking. */
const MAX_AT_ONCE = 2;
const MAX_WAITING = 50;

/** Runs a task when it is the person's turn; throws too-many while many of theirs wait already. */
export type RunLimited = <Answer>(session: Pick<Session, 'user'> | undefined, task: () => Promise<Answer>) => Promise<Answer>;

/** Turns of each person, over however many sessions and kinds of requests; `what` names these in a refusal. */
export function createRequestQueue(what = 'searches and previews'): RunLimited {
  const turns = new Map<string, { readonly semaphore: Semaphore; asked: number }>();
  return async (session, task) => {
    const user = session?.user ?? '';
    const own = turns.get(user) ?? { semaphore: new Semaphore(MAX_AT_ONCE), asked: 0 };
    if (own.asked >= MAX_AT_ONCE + MAX_WAITING) {
      throw new AppError('too-many', `${user} has ${own.asked} ${what} running or waiting, which is the limit; try again in a second`, {
        details: { retryAfterSeconds: 1 },
      });
    }
    turns.set(user, own);
    own.asked++;
    try {
      return await own.semaphore.run(task);
    } finally {
      own.asked--;
      if (own.asked === 0) turns.delete(user);
    }
  };
}
