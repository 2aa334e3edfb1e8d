import { backOffMs } from '@/lib/std/back-off';
import type { Random } from '@/server/platform';
import { retryAfterMs } from '../errors';

/** From a fifth of a second to ten, between half and one and a half, so that many watchers do not return in step. */
const PACE = { firstMs: 200, longestMs: 10_000, spread: [0.5, 1.5] } as const;

/** Growing waits. */
export interface Backoff {
  /** The wait before the next attempt; what the server asked for by Retry-After is the least. */
  next(error: unknown): number;
  reset(): void;
}

/** A back-off of a watched collection. */
export function createBackoff(random: Random): Backoff {
  let failures = 0;
  return {
    next: (error) => Math.max(backOffMs(PACE, failures++, random), retryAfterMs(error)),
    reset() {
      failures = 0;
    },
  };
}
