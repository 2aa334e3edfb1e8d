import type { Instant } from '@/lib/std/instant';
import { toInstant } from '@/lib/std/instant';
import type { Clock } from '@/server/platform';

/** A clock on which every wait is over at the next turn of the event loop. */
export class InstantClock implements Clock {
  #now = Date.UTC(2026, 0, 1);

  now(): Instant {
    return toInstant(this.#now);
  }

  schedule(delayMs: number, task: () => void): () => void {
    const timer = setImmediate(() => {
      this.#now += delayMs;
      task();
    });
    return () => clearImmediate(timer);
  }

  sleep(delayMs: number): Promise<void> {
    return new Promise((resolve) => void this.schedule(delayMs, resolve));
  }

  hold(): () => void {
    return () => undefined;
  }
}
