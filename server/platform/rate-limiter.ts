import type { Clock } from './clock';
import { monotonicMsOf } from './clock';
import { TokenBucket } from './token-bucket';

const MAX_REMEMBERED = 10_000;

/** What may be spent by each key within a window of time, and at once after one in which it spent nothing. */
export interface RateLimit {
  readonly most: number;
  readonly windowMs: number;
}

/** Counts what a key spends, 1 unless told; false, and nothing counted, where it would be more than the limit. */
export type RateLimiter = (key: string, amount?: number) => boolean;

/** Limits by a clock that nobody can set: a token bucket for each key. */
export function createRateLimiter(clock: Clock, { most, windowMs }: RateLimit): RateLimiter {
  const buckets = new Map<string, TokenBucket>();
  return (key, amount = 1) => {
    const now = monotonicMsOf(clock);
    const bucket = buckets.get(key) ?? new TokenBucket({ burst: most, everyMs: windowMs / most }, now);
    // Who spent longest ago has everything again: forgetting them changes nothing.
    buckets.delete(key);
    const [oldest] = buckets.keys();
    if (buckets.size >= MAX_REMEMBERED && oldest !== undefined) buckets.delete(oldest);
    buckets.set(key, bucket);
    return bucket.take(now, amount);
  };
}
