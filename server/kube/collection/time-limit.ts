import type { Clock } from '@/server/platform';
import { linkAbort, monotonicMsOf } from '@/server/platform';

/** Aborts its signal when it was not restarted for a while, or when the outer signal aborts. */
export interface TimeLimit {
  readonly signal: AbortSignal;
  restart(): void;
  /** Aborts its signal now. */
  cut(reason: Error): void;
  end(): void;
}

/** Starts a limit; it costs one timer however often it is restarted. */
export function startTimeLimit(clock: Clock, outer: AbortSignal, limitMs: number, error: () => Error): TimeLimit {
  const { controller, release } = linkAbort(outer);
  let since = monotonicMsOf(clock);
  let cancel = clock.schedule(limitMs, check);

  function check(): void {
    const leftMs = limitMs - (monotonicMsOf(clock) - since);
    if (leftMs <= 0) controller.abort(error());
    else cancel = clock.schedule(leftMs, check);
  }

  return {
    signal: controller.signal,
    restart() {
      since = monotonicMsOf(clock);
    },
    cut: (reason) => controller.abort(reason),
    end() {
      cancel();
      release();
    },
  };
}
