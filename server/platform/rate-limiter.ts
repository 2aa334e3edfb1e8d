import type { Clock } from './clock';
import { steadyMsOf } from './clock';

/** What may be spent by each key within a window of time; the windows of all keys begin together. */
export interface RateLimit {
  readonly most: number;
  readonly windowMs: number;
}

/** Counts what a key spends, 1 unless told; false, and nothing counted, where it would be more than the limit. */
export type RateLimiter = (key: string, amount?: number) => boolean;

/** Limits by a clock that nobody can set. */
export function createRateLimiter(clock: Clock, { most, windowMs }: RateLimit): RateLimiter {
  const spent = new Map<string, number>();
  let since = steadyMsOf(clock);
  return (key, amount = 1) => {
    if (steadyMsOf(clock) - since >= windowMs) {
      spent.clear();
      since = steadyMsOf(clock);
    }
    const total = (spent.get(key) ?? 0) + amount;
    if (total > most) return false;
    spent.set(key, total);
    return true;
  };
}
