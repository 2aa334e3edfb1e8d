import type { BackOffPace } from '@/lib/std/back-off';
import { backOffMs } from '@/lib/std/back-off';
import type { Random } from '../random';

/** How the waits of one row of failures grow. */
export type BackOffLimits = Pick<BackOffPace, 'firstMs' | 'longestMs'>;

/** For what may pass by itself: a conflict, a server that is busy. */
export const TRANSIENT_BACKOFF: BackOffLimits = { firstMs: 5, longestMs: 1_000_000 };
/** For what passes with the trouble of the server: nobody waits long for what the server can do again. */
export const SERVER_ERROR_BACKOFF: BackOffLimits = { firstMs: 5, longestMs: 30_000 };
/** For what the object itself brings about: the same content fails again until somebody changes it, and that ends the wait. */
export const CONTENT_ERROR_BACKOFF: BackOffLimits = { firstMs: 5_000, longestMs: 600_000 };
/** Keys that failed together do not return together. */
const SPREAD = [1, 1.25] as const;

interface Row {
  /** Failures of any pace. */
  readonly failures: number;
  readonly pace: BackOffLimits;
  /** Failures of this pace at the end of the row: by them it grows. */
  readonly alike: number;
}

/** Waits that double with every failure of one key in a row, at the pace of the failure. */
export class KeyBackoff<Key> {
  readonly #rows = new Map<Key, Row>();
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  /** Counts a failure and says how long to wait. */
  nextMs(key: Key, pace: BackOffLimits = TRANSIENT_BACKOFF): number {
    const row = this.#rows.get(key);
    const before = row?.pace === pace ? row.alike : 0;
    this.#rows.set(key, { failures: (row?.failures ?? 0) + 1, pace, alike: before + 1 });
    return backOffMs({ firstMs: pace.firstMs, longestMs: pace.longestMs / SPREAD[1], spread: SPREAD }, before, this.#random);
  }

  failures(key: Key): number {
    return this.#rows.get(key)?.failures ?? 0;
  }

  forget(key: Key): void {
    this.#rows.delete(key);
  }
}
