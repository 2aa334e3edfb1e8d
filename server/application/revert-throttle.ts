import type { ObjectKey } from '@/lib/kube/object';
import { backOffMs } from '@/lib/std/back-off';
import type { Instant } from '@/lib/std/instant';

/** Reverts of one object that wait for nothing: people edit by hand and try again. */
const AT_ONCE = 5;
const PACE = { firstMs: 5_000, longestMs: 5 * 60_000 };
/** An object that nobody changed for so long begins afresh. */
const FORGOTTEN_AFTER_MS = 2 * PACE.longestMs;

interface Reverts {
  readonly count: number;
  readonly at: Instant;
}

/**
 * Spaces the reverts of an object that something else changes back each time, such as another controller or another application: two writers that fight
 * must not write as fast as they can. Kept in memory; a restart begins afresh.
 */
export class RevertThrottle {
  readonly #byApplication = new Map<ObjectKey, Map<string, Reverts>>();

  /** Notes that the object was reverted. Answers how often so far, and the wait before the next time in milliseconds. */
  note(application: ObjectKey, object: string, now: Instant): { readonly count: number; readonly waitMs: number } {
    const reverts = this.#byApplication.get(application) ?? new Map<string, Reverts>();
    this.#byApplication.set(application, reverts);
    const held = reverts.get(object);
    const count = held === undefined || now - held.at > FORGOTTEN_AFTER_MS ? 1 : held.count + 1;
    reverts.set(object, { count, at: now });
    return { count, waitMs: pauseAfter(count) };
  }

  /** So long the object is left as it is, in milliseconds; 0 where it is reverted now. */
  waitMs(application: ObjectKey, object: string, now: Instant): number {
    const held = this.#byApplication.get(application)?.get(object);
    return held === undefined ? 0 : Math.max(0, held.at + pauseAfter(held.count) - now);
  }

  /** When the next of its objects may be reverted again, in milliseconds; undefined where none waits. */
  nextMs(application: ObjectKey, now: Instant): number | undefined {
    const reverts = this.#byApplication.get(application);
    let next: number | undefined;
    for (const [object, { at }] of reverts ?? []) {
      if (now - at > FORGOTTEN_AFTER_MS) reverts?.delete(object);
      const waitMs = this.waitMs(application, object, now);
      if (waitMs > 0 && waitMs < (next ?? Number.POSITIVE_INFINITY)) next = waitMs;
    }
    return next;
  }

  /** Drops what is known of an application that is gone. */
  forget(application: ObjectKey): void {
    this.#byApplication.delete(application);
  }
}

function pauseAfter(count: number): number {
  return count <= AT_ONCE ? 0 : backOffMs(PACE, count - AT_ONCE - 1);
}
