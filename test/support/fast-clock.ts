import { toInstant } from '@/lib/std/instant';
import type { Clock } from '@/server/platform';
import { sleepOn } from '@/server/platform/clock';

/** A real clock that runs faster, for tests whose other side is a real socket: waits of seconds take milliseconds. */
export function createFastClock(factor: number): Clock {
  const startedAt = performance.now();
  const start = Date.UTC(2026, 0, 1, 9, 0, 0);
  return {
    now: () => toInstant(start + (performance.now() - startedAt) * factor),
    schedule(delayMs, task) {
      const timer = setTimeout(task, delayMs / factor);
      return () => clearTimeout(timer);
    },
    sleep(delayMs, signal) {
      return sleepOn(this, delayMs, signal);
    },
    hold: () => () => undefined,
  };
}
