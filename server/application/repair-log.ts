import type { Instant } from '@/lib/std/instant';

/** The same repair again is only counted until so much time has passed: two writers that fight must not fill the record. */
const SAME_AGAIN_MS = 60_000;
const MAX_REMEMBERED = 5000;

/** Remembers what was repaired lately, so that the same repair over and over is one entry with a count. */
export class RepairLog {
  readonly #lately = new Map<string, { readonly at: Instant; suppressed: number }>();

  /** How often the repair was not told since it last was; undefined when it must not be told again yet. */
  take(key: string, now: Instant): number | undefined {
    const held = this.#lately.get(key);
    if (held !== undefined && now - held.at < SAME_AGAIN_MS) {
      held.suppressed++;
      return undefined;
    }
    this.#lately.delete(key);
    const [oldest] = this.#lately.keys();
    if (this.#lately.size >= MAX_REMEMBERED && oldest !== undefined) this.#lately.delete(oldest);
    this.#lately.set(key, { at: now, suppressed: 0 });
    return held?.suppressed ?? 0;
  }
}
