import { toInstant } from '@/lib/std/instant';
import type { Clock } from '@/server/platform';
import { realClock } from '@/server/platform';

/** A clock on which so many seconds go by in one: for a simulated cluster whose controllers look every quarter of a minute. */
export function createQuickClock(times: number): Clock {
  const startedAt = realClock.now();
  return {
    now: () => toInstant(startedAt + (realClock.now() - startedAt) * times),
    schedule: (delayMs, task) => realClock.schedule(delayMs / times, task),
    sleep: (delayMs, signal) => realClock.sleep(delayMs / times, signal),
    hold: realClock.hold,
  };
}
