import type { Instant } from '@/lib/std/instant';
import type { Clock } from '@/server/platform';

/** Latencies are those of the newest passes, so many at most. */
const KEPT = 512;
const SLOTS = 60;
const SLOT_MS = 1000;

/** How passes went lately. */
export interface PassFigures {
  /** In the last minute. */
  readonly passesPerMinute: number;
  /** In the last minute. */
  readonly failuresPerMinute: number;
  /** Of the newest passes, in milliseconds; undefined before the first. */
  readonly tookMs: { readonly p50: number; readonly p95: number; readonly p99: number } | undefined;
}

interface Slot {
  second: number;
  passes: number;
  failures: number;
}

/** Passes of one controller as the engine page tells them. Its memory does not grow with what it counts. */
export class PassStats {
  readonly #clock: Clock;
  readonly #took = new Float64Array(KEPT);
  readonly #slots: readonly Slot[] = Array.from({ length: SLOTS }, () => ({ second: -1, passes: 0, failures: 0 }));
  #count = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts a pass that ended now. */
  observe(startedAt: Instant, hasFailed: boolean): void {
    const now = this.#clock.now();
    this.#took[this.#count++ % KEPT] = now - startedAt;
    const second = Math.floor(now / SLOT_MS);
    const slot = this.#slots[second % SLOTS];
    if (slot === undefined) return;
    if (slot.second !== second) Object.assign(slot, { second, passes: 0, failures: 0 });
    slot.passes++;
    if (hasFailed) slot.failures++;
  }

  figures(): PassFigures {
    const oldest = Math.floor(this.#clock.now() / SLOT_MS) - SLOTS;
    let [passesPerMinute, failuresPerMinute] = [0, 0];
    for (const { second, passes, failures } of this.#slots) {
      if (second <= oldest) continue;
      passesPerMinute += passes;
      failuresPerMinute += failures;
    }
    return { passesPerMinute, failuresPerMinute, tookMs: this.#percentiles() };
  }

  #percentiles(): PassFigures['tookMs'] {
    const held = Math.min(this.#count, KEPT);
    if (held === 0) return undefined;
    const sorted = this.#took.slice(0, held).sort();
    const at = (percent: number) => sorted[Math.min(held - 1, Math.ceil((percent / 100) * held) - 1)] ?? 0;
    return { p50: at(50), p95: at(95), p99: at(99) };
  }
}
