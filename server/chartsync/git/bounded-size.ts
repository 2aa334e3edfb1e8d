import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { AppError } from '@/lib/contract/app-error';
import type { Clock } from '@/server/platform';
import { watchOver } from '../process/watch-over';

/** What is being received, and how large it may become. */
interface Bound {
  /** A bare repository. */
  readonly repository: string;
  readonly maxBytes: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Runs a task that fills a repository; its signal aborts when the packs of the repository grow over the limit, or the outer one does. */
export async function boundedSize<Result>({ repository, maxBytes, clock, signal }: Bound, task: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const limit = new AbortController();
  const onAbort = () => limit.abort(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  const sentence = `the repository has more than ${Math.round(maxBytes / 1024 / 1024)} MiB, which is the most that is mirrored`;
  const onOver = () => limit.abort(new AppError('too-large', sentence));
  const release = watchOver({ measure: () => packedBytes(repository), limit: maxBytes, clock, onOver });
  try {
    const result = await task(limit.signal);
    if ((await packedBytes(repository)) > maxBytes) throw new AppError('too-large', sentence);
    return result;
  } finally {
    release();
    signal.removeEventListener('abort', onAbort);
  }
}

/** What the packs of a repository take, those that are being received included; nothing else of it grows much. */
async function packedBytes(repository: string): Promise<number> {
  const folder = path.join(repository, 'objects', 'pack');
  const names = await readdir(folder).catch(() => []);
  const sizes = await Promise.all(names.map((name) => stat(path.join(folder, name)).catch(() => undefined)));
  return sizes.reduce((sum, each) => sum + (each?.size ?? 0), 0);
}
