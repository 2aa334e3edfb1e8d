import type { Random } from '@/server/platform';
import { askedWaitMs } from '../errors';

const FIRST_MS = 200;
const LONGEST_MS = 10_000;

/** Growing waits with jitter between half and one and a half, so that many watchers do not return in step. */
export interface Backoff {
  /** The wait before the next attempt; what the server asked for by Retry-After is the least. */
  next(error: unknown): number;
  reset(): void;
}

/** A back-off that begins at a fifth of a second and ends at ten. */
export function createBackoff(random: Random): Backoff {
  let failures = 0;
  return {
    next(error) {
      const grownMs = Math.min(FIRST_MS * 2 ** failures, LONGEST_MS);
      failures++;
      return Math.max(grownMs * (0.5 + random()), askedWaitMs(error));
    },
    reset() {
      failures = 0;
    },
  };
}
