import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { AppError } from '@/lib/contract/app-error';
import type { Clock } from '@/server/platform';
import { linkAbort } from '@/server/platform';
import { enforceLimit } from '../process/enforce-limit';

/** What is being received, and how large it may become. */
interface Bound {
  /** A bare repository. */
  readonly repository: string;
  readonly maxBytes: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Runs a task that fills a repository; its signal aborts when the packs of the repository grow over the limit, or the outer one does. */
export async function boundedSize<Result>(
  { repository, maxBytes, clock, signal }: Bound,
  task: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const { controller, release } = linkAbort(signal);
  const sentence = `the repository has more than ${Math.round(maxBytes / 1024 / 1024)} MiB, which is the limit for mirrors`;
  const onOver = () => controller.abort(new AppError('too-large', sentence));
  const stop = enforceLimit({ measure: () => packedBytes(repository), limit: maxBytes, clock, onOver });
  try {
    const result = await task(controller.signal);
    if ((await packedBytes(repository)) > maxBytes) throw new AppError('too-large', sentence);
    return result;
  } finally {
    stop();
    release();
  }
}

/** What the packs of a repository take, those that are being received included; nothing else of it grows much. */
async function packedBytes(repository: string): Promise<number> {
  const folder = path.join(repository, 'objects', 'pack');
  const names = await readdir(folder).catch(() => []); // nothing was received yet
  // What was received is given its name meanwhile; the next look counts it.
  const sizes = await Promise.all(names.map((name) => stat(path.join(folder, name)).catch(() => undefined)));
  return sizes.reduce((sum, each) => sum + (each?.size ?? 0), 0);
}
