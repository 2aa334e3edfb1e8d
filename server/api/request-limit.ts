import { AppError } from '@/lib/contract/app-error';
import type { Session } from '@/server/auth';
import type { Clock } from '@/server/platform';
import { createRateLimiter } from '@/server/platform';

/** Counts a request of a person, over all their sessions; throws too-many. */
export type AllowRequest = (session: Pick<Session, 'user'>, kind?: 'request' | 'wait') => void;

/** How many seconds' worth may come at once. Waits are begun hundreds at once, by pipelines, and stay open: how many of them a person may hold is a limit of its own. */
const AT_ONCE = { request: 2, wait: 10 };

/** So many requests per second, and twice as many at once after a pause; `setting` is what raises it. */
export function createRequestLimit(clock: Clock, perSecond: number, setting?: string): AllowRequest {
  const limit = (seconds: number) => createRateLimiter(clock, { most: perSecond * seconds, windowMs: seconds * 1000 });
  const spend = { request: limit(AT_ONCE.request), wait: limit(AT_ONCE.wait) };
  return ({ user }, kind = 'request') => {
    if (spend[kind](user)) return;
    const burst = perSecond * AT_ONCE[kind];
    const sentence = `${user} sent more than ${perSecond} requests per second and ${burst} at once, which is the limit${setting === undefined ? '' : ` (${setting})`}; try again in a second`;
    throw new AppError('too-many', sentence, { details: { retryAfterSeconds: 1 } });
  };
}
