import type { Clock } from '@/server/platform';
import { linkAbort } from '@/server/platform';

/** Aborts its signal when it was not restarted for a while, or when the outer signal aborts. */
export interface TimeLimit {
  readonly signal: AbortSignal;
  restart(): void;
  end(): void;
}

/** Starts a limit; it costs one timer however often it is restarted. */
export function startTimeLimit(clock: Clock, outer: AbortSignal, limitMs: number, error: () => Error): TimeLimit {
  const { controller, release } = linkAbort(outer);
  let since = clock.now();
  let cancel = clock.schedule(limitMs, check);

  function check(): void {
    const leftMs = limitMs - (clock.now() - since);
    if (leftMs <= 0) controller.abort(error());
    else cancel = clock.schedule(leftMs, check);
  }

  return {
    signal: controller.signal,
    restart() {
      since = clock.now();
    },
    end() {
      cancel();
      release();
    },
  };
}
