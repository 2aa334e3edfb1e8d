import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { AppError } from '@/lib/contract/app-error';
import { formatNumber } from '@/lib/words/figures';
import type { Clock } from '@/server/platform';
import { linkAbort } from '@/server/platform';
import { enforceLimit } from '../process/enforce-limit';

/** What is being received, and how large it may become. */
interface Bound {
  /** A bare repository. */
  readonly repository: string;
  readonly maxBytes: number;
  /** Why nothing more may come, since mirrors take too much together; undefined where it may. It is asked of one that holds more than was let be. */
  readonly crowded?: (() => Promise<string | undefined>) | undefined;
  /** What it holds that was let be before. */
  readonly letBytes: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Runs a task that fills a repository; its signal aborts when the packs of the repository, or of all mirrors, grow over the limit, or the outer one does. */
export async function boundedSize<Result>(bound: Bound, task: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const { controller, release } = linkAbort(bound.signal);
  let over: string | undefined;
  const measure = async () => {
    over = await excessOf(bound);
    return over === undefined ? 0 : 1;
  };
  const onOver = () => controller.abort(new AppError('too-large', over ?? ''));
  const stop = enforceLimit({ measure, limit: 0, clock: bound.clock, onOver });
  try {
    const result = await task(controller.signal);
    const sentence = await excessOf(bound);
    if (sentence !== undefined) throw new AppError('too-large', sentence);
    return result;
  } finally {
    stop();
    release();
  }
}

async function excessOf({ repository, maxBytes, crowded, letBytes }: Bound): Promise<string | undefined> {
  const bytes = await packedBytes(repository);
  if (bytes > maxBytes) return `the repository has more than ${formatMiB(maxBytes)}, which is the limit for mirrors`;
  return bytes > letBytes ? crowded?.() : undefined;
}

/** A limit for people. */
export function formatMiB(bytes: number): string {
  return `${formatNumber(Math.round(bytes / 1024 / 1024))} MiB`;
}

/** What the packs of a repository take, those that are being received included; nothing else of it grows much. */
export async function packedBytes(repository: string): Promise<number> {
  const folder = path.join(repository, 'objects', 'pack');
  const names = await readdir(folder).catch(() => []); // nothing was received yet
  // What was received is given its name meanwhile; the next look counts it.
  const sizes = await Promise.all(names.map((name) => stat(path.join(folder, name)).catch(() => undefined)));
  return sizes.reduce((sum, each) => sum + (each?.size ?? 0), 0);
}
