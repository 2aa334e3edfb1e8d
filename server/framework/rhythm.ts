import type { ObjectKey } from '@/lib/kube/object';
import { deepEqual } from '@/lib/std/deep-equal';
import type { Instant } from '@/lib/std/instant';
import { toInstant } from '@/lib/std/instant';

/** Counts that moved are written once they have stood still for so long, and so often while they go on moving. */
const STILL_MS = 5000;
const MOVING_MS = 10_000;

interface Beat {
  readonly counts: unknown;
  readonly stillSince: Instant;
  readonly movingSince: Instant;
}

/** When a status may be written that differs in nothing but counts, which whoever reads can see for themselves in what is counted. */
export class Rhythm {
  readonly #beats = new Map<ObjectKey, Beat>();

  /** How long the counts of an object have to wait to be written; 0 when they may be now. */
  waitMs(key: ObjectKey, counts: unknown, now: Instant): number {
    const held = this.#beats.get(key);
    const beat = held !== undefined && deepEqual(held.counts, counts) ? held : { counts, stillSince: now, movingSince: held?.movingSince ?? now };
    this.#beats.set(key, beat);
    return Math.max(0, Math.min(toInstant(beat.stillSince + STILL_MS), toInstant(beat.movingSince + MOVING_MS)) - now);
  }

  /** Notes that what is stored is what is. */
  rest(key: ObjectKey): void {
    this.#beats.delete(key);
  }
}
