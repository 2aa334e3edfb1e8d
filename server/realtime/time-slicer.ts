import type { Clock, Release } from '@/server/platform';
import { monotonicMsOf } from '@/server/platform';

/** Work of so long is done at once; then the rest of the server has its turn, for as long. */
const SLICE_MS = 10;

/** Lets topics compute one after the other. However many there are, and whoever opened them, requests are served in between. */
export class TimeSlicer {
  readonly #clock: Clock;
  readonly #waiting = new Set<() => void>();
  #since = Number.NEGATIVE_INFINITY;
  #spentMs = 0;
  #isResting = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Does a task now, and answers undefined; or when it is its turn, and answers how to leave that out. */
  run(task: () => void): Release | undefined {
    if (this.#isResting || this.#waiting.size > 0) {
      this.#waiting.add(task);
      return () => void this.#waiting.delete(task);
    }
    this.#work(task);
    return undefined;
  }

  #work(task: () => void): void {
    const from = monotonicMsOf(this.#clock);
    if (from - this.#since > 2 * SLICE_MS) [this.#since, this.#spentMs] = [from, 0]; // what was long ago is rested from
    try {
      task();
    } finally {
      this.#spentMs += monotonicMsOf(this.#clock) - from;
      if (this.#spentMs >= SLICE_MS && !this.#isResting) this.#rest();
    }
  }

  #rest(): void {
    this.#isResting = true;
    this.#clock.schedule(this.#spentMs, () => {
      this.#isResting = false;
      [this.#since, this.#spentMs] = [monotonicMsOf(this.#clock), 0];
      for (const task of this.#waiting) {
        this.#waiting.delete(task);
        this.#work(task);
        if (this.#isResting) return;
      }
    });
  }
}
