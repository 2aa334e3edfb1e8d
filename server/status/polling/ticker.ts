import type { Clock } from '@/server/platform';
import { monotonicMsOf } from '@/server/platform';

/** Ticks at start + k · interval. Of ticks that were missed one is remembered, so a slow round is followed by one more at once. */
export class Ticker {
  readonly #clock: Clock;
  readonly #intervalMs: number;
  readonly #startedAt: number;
  #taken = 0;

  constructor(clock: Clock, intervalMs: number) {
    this.#clock = clock;
    this.#intervalMs = intervalMs;
    this.#startedAt = monotonicMsOf(clock);
  }

  /** Resolves at the next tick; rejects when the signal aborts. */
  async next(signal: AbortSignal): Promise<void> {
    const passed = Math.floor((monotonicMsOf(this.#clock) - this.#startedAt) / this.#intervalMs);
    if (passed > this.#taken) {
      this.#taken = passed;
      signal.throwIfAborted();
      return;
    }
    this.#taken++;
    await this.#clock.sleep(this.#startedAt + this.#taken * this.#intervalMs - monotonicMsOf(this.#clock), signal);
  }
}
