import type { ObjectKey } from '@/lib/kube/object';
import { deepEqual } from '@/lib/std/deep-equal';
import type { Instant } from '@/lib/std/instant';
import { toInstant } from '@/lib/std/instant';

/** For how long counts that moved have to stand still to be written, and how often they are while they go on moving. */
interface Pace {
  readonly stillMs: number;
  readonly movingMs: number;
}

/** Of what is mostly at rest, whose last figures are soon to be had. */
export const SETTLED_PACE: Pace = { stillMs: 5000, movingMs: 10_000 };
/** Of what is on its way: it comes to its end by itself, and what it came to is written then. */
export const PROGRESSING_PACE: Pace = { stillMs: 20_000, movingMs: 60_000 };

interface Beat {
  readonly counts: unknown;
  readonly stillSince: Instant;
  readonly movingSince: Instant;
}

/** When a status may be written that differs in nothing but counts, which whoever reads can see for themselves in what is counted. */
export class StatusWriteThrottle {
  readonly #pace: Pace;
  readonly #beats = new Map<ObjectKey, Beat>();

  constructor(pace: Pace) {
    this.#pace = pace;
  }

  /** How long the counts of an object have to wait to be written; 0 when they may be now. */
  waitMs(key: ObjectKey, counts: unknown, now: Instant): number {
    const held = this.#beats.get(key);
    const beat =
      held !== undefined && deepEqual(held.counts, counts) ? held : { counts, stillSince: now, movingSince: held?.movingSince ?? now };
    this.#beats.set(key, beat);
    const { stillMs, movingMs } = this.#pace;
    return Math.max(0, Math.min(toInstant(beat.stillSince + stillMs), toInstant(beat.movingSince + movingMs)) - now);
  }

  /** Notes that what is stored is what is. */
  rest(key: ObjectKey): void {
    this.#beats.delete(key);
  }
}
