import type { Clock } from '@/server/platform';

interface Limit {
  readonly clock: Clock;
  readonly ms: number;
  readonly signal: AbortSignal;
  /** What takes too long, for the error. */
  readonly what: string;
}

/** Runs a task whose signal aborts when the outer one does, or after so many milliseconds. */
export async function within<Result>({ clock, ms, signal, what }: Limit, task: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const limit = new AbortController();
  const release = clock.schedule(ms, () => limit.abort(new Error(`${what} took longer than ${ms / 1000} s`)));
  try {
    return await task(AbortSignal.any([signal, limit.signal]));
  } finally {
    release();
  }
}
