import { AppError } from '@/lib/contract/app-error';
import type { Session } from '@/server/auth';
import type { Clock } from '@/server/platform';
import { TokenBucket } from '@/server/platform';

const MOST_REMEMBERED = 10_000;

/** Counts a request of a person, over all their sessions; throws too-many. */
export type Allow = (session: Pick<Session, 'user'>, kind?: 'request' | 'wait') => void;

/** Waits are begun hundreds at once, by pipelines, and stay open: how many of them a person may hold is a limit of its own. */
const WAITS_AT_ONCE = 10;
const REQUESTS_AT_ONCE = 2;

/** So many requests per second, and twice as many at once after a pause; `setting` is what raises it. */
export function createRequestLimit(clock: Clock, perSecond: number, setting?: string): Allow {
  const left = new Map<string, TokenBucket>();
  return ({ user }, kind = 'request') => {
    const now = clock.now();
    const key = `${kind} ${user}`;
    const burst = perSecond * (kind === 'wait' ? WAITS_AT_ONCE : REQUESTS_AT_ONCE);
    const held = left.get(key) ?? new TokenBucket({ burst, everyMs: 1000 / perSecond }, now);
    // Who asked longest ago has everything again: forgetting them changes nothing.
    left.delete(key);
    const [oldest] = left.keys();
    if (left.size >= MOST_REMEMBERED && oldest !== undefined) left.delete(oldest);
    left.set(key, held);
    if (!held.take(now)) {
      const sentence = `${user} sent more than ${perSecond} requests per second and ${burst} at once, which is the most${setting === undefined ? '' : ` (${setting})`}; try again in a second`;
      throw new AppError('too-many', sentence, { details: { retryAfterSeconds: 1 } });
    }
  };
}
