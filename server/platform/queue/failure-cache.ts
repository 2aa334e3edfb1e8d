import type { BackOffPace } from '@/lib/std/back-off';
import { backOffMs } from '@/lib/std/back-off';
import type { Instant } from '@/lib/std/instant';
import type { Clock } from '../clock';

const MAX_KEPT = 5_000;

interface Failed {
  readonly error: unknown;
  readonly at: Instant;
  /** How long it is not tried again. */
  readonly restMs: number;
  /** How many failed in a row. */
  readonly times: number;
}

/** Keeps what failed from being tried again at once: whoever asks meanwhile is told what it failed with, and each failure in a row makes the rest longer. */
export class FailureCache {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #paceOf: (error: unknown) => BackOffPace;
  readonly #failed = new Map<string, Failed>();

  constructor(clock: Pick<Clock, 'now'>, paceOf: (error: unknown) => BackOffPace) {
    this.#clock = clock;
    this.#paceOf = paceOf;
  }

  /** Tries, unless it failed a short while ago. */
  async run<Result>(key: string, task: () => Promise<Result>): Promise<Result> {
    const before = this.#failed.get(key);
    const now = this.#clock.now();
    // A moment that is still to come tells that the clock was set back.
    if (before !== undefined && before.at <= now && now < before.at + before.restMs) throw before.error;
    try {
      const result = await task();
      this.#failed.delete(key);
      return result;
    } catch (error) {
      const times = before?.times ?? 0;
      if (this.#failed.size >= MAX_KEPT) this.#failed.clear();
      this.#failed.set(key, { error, at: this.#clock.now(), restMs: backOffMs(this.#paceOf(error), times), times: times + 1 });
      throw error;
    }
  }
}
