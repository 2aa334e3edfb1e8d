import type { Clock } from './clock';
import { linkAbort } from './linked-abort';

interface Limit {
  readonly clock: Clock;
  readonly ms: number;
  readonly signal: AbortSignal;
  /** What takes too long, for the error. */
  readonly what: string;
}

/** Runs a task whose signal aborts when the outer one does, or after so many milliseconds, and awaits its end. */
export async function withTimeout<Result>(
  { clock, ms, signal, what }: Limit,
  task: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const { controller, release } = linkAbort(signal);
  const cancel = clock.schedule(ms, () => controller.abort(new Error(`${what} took longer than ${ms / 1000} s`)));
  try {
    return await task(controller.signal);
  } finally {
    release();
    cancel();
  }
}

interface Wait<Late> {
  readonly clock: Clock;
  readonly ms: number;
  readonly signal?: AbortSignal;
  /** What is answered, or thrown, where the time is up or the signal aborts. */
  readonly late: () => Late;
}

/** Awaits a promise for so many milliseconds at the most; what still comes of it is ignored. */
export function waitAtMost<Result, Late>({ clock, ms, signal, late }: Wait<Late>, promise: Promise<Result>): Promise<Result | Late> {
  return new Promise((resolve, reject) => {
    const end = () => {
      cancel();
      signal?.removeEventListener('abort', giveUp);
    };
    const giveUp = () => {
      end();
      try {
        resolve(late());
      } catch (error) {
        reject(error);
      }
    };
    const cancel = clock.schedule(ms, giveUp);
    signal?.addEventListener('abort', giveUp, { once: true });
    promise.finally(end).then(resolve, reject);
    if (signal?.aborted) giveUp();
  });
}
