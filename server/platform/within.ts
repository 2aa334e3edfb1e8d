import type { Clock } from './clock';

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
  // Linked by hand: what AbortSignal.any links to a signal as old as the process is not given back on every Node.
  const onAbort = () => limit.abort(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    return await task(limit.signal);
  } finally {
    signal.removeEventListener('abort', onAbort);
    release();
  }
}
