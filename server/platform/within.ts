import type { Clock } from './clock';
import { linkAbort } from './linked-abort';

interface Limit {
  readonly clock: Clock;
  readonly ms: number;
  readonly signal: AbortSignal;
  /** What takes too long, for the error. */
  readonly what: string;
}

/** Runs a task whose signal aborts when the outer one does, or after so many milliseconds. */
export async function within<Result>({ clock, ms, signal, what }: Limit, task: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const { controller, release } = linkAbort(signal);
  const cancel = clock.schedule(ms, () => controller.abort(new Error(`${what} took longer than ${ms / 1000} s`)));
  try {
    return await task(controller.signal);
  } finally {
    release();
    cancel();
  }
}
