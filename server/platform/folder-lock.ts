import { readFileSync } from 'node:fs';
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { AppError } from '@/lib/contract/app-error';
import type { Ids } from './ids';

const lockFile = z.object({ pid: z.number(), boot: z.string(), started: z.string(), nonce: z.string() });
type Holder = z.infer<typeof lockFile>;

/** Keeps a second server out of a data folder as a whole, wherever its store lies: keys, mirrors and acts that wait are in the folder. */
export async function lockDataFolder(dataDir: string, ids: Ids): Promise<AsyncDisposable> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const lock = await lockFolder(path.join(dataDir, 'server.lock'), ids);
  // A server of the release before holds its store alone.
  const holder = await readHolder(path.join(dataDir, 'store', 'store.lock'));
  if (holder === undefined || !isAlive(holder)) return lock;
  await lock[Symbol.asyncDispose]();
  throw inUse(path.join(dataDir, 'server.lock'), holder);
}

/**
 * Keeps a second process out of a data folder, where both would write. The file is the lock; each part of a data folder has one.
 *
 * 1. The lock names its holder by pid, boot of the machine and start of the process, so that a pid used again is nobody's, and one that has ended holds nothing.
 * 2. It is taken by a link, which only one can make; a lock whose holder is gone is moved aside first.
 */
export async function lockFolder(file: string, ids: Ids): Promise<AsyncDisposable> {
  const nonce = ids.uuid();
  const mine: Holder = { pid: process.pid, boot: bootOf(), started: startOf(process.pid) ?? '', nonce };
  const draft = `${file}.${nonce}`;
  await writeFile(draft, JSON.stringify(mine), { mode: 0o600 });
  try {
    await take(file, draft, nonce);
  } finally {
    await rm(draft, { force: true });
  }
  return {
    async [Symbol.asyncDispose]() {
      const holder = await readHolder(file);
      if (holder?.nonce === nonce) await rm(file, { force: true });
    },
  };
}

async function take(file: string, draft: string, nonce: string): Promise<void> {
  if (await tryLink(draft, file)) return;
  const holder = await readHolder(file);
  if (holder !== undefined && isAlive(holder)) throw inUse(file, holder);
  const aside = `${file}.stale.${nonce}`;
  await rename(file, aside).catch(ignoreMissing);
  // Between the look and the move another process may have taken the folder over: what was moved aside is then its lock.
  const moved = await readHolder(aside);
  if (moved !== undefined && moved.nonce !== holder?.nonce && isAlive(moved)) {
    await tryLink(aside, file);
    await rm(aside, { force: true });
    throw inUse(file, moved);
  }
  await rm(aside, { force: true });
  if (!(await tryLink(draft, file))) throw inUse(file, await readHolder(file));
}

async function tryLink(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function inUse(file: string, holder: Holder | undefined): AppError {
  const who = holder === undefined ? 'another process' : `process ${holder.pid}`;
  return new AppError(
    'rejected',
    `the data folder ${path.dirname(file)} is in use by ${who}; stop it, or give this one another --data-dir`,
  );
}

/** Undefined when there is no lock, or one that is no lock of ours (cut short by a crash while it was written). */
async function readHolder(file: string): Promise<Holder | undefined> {
  const text = await readFile(file, 'utf8').catch(ignoreMissing);
  if (text === undefined) return undefined;
  try {
    return lockFile.parse(JSON.parse(text));
  } catch {
    return undefined; // unreadable is nobody's
  }
}

function ignoreMissing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
  throw error;
}

function isAlive(holder: Holder): boolean {
  if (holder.boot !== bootOf()) return false;
  if (hasEnded(holder.pid)) return false;
  const started = startOf(holder.pid);
  if (started !== undefined && holder.started !== '') return started === holder.started;
  try {
    process.kill(holder.pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Names this boot of the machine; empty where the system does not tell. */
function bootOf(): string {
  return readSystem('/proc/sys/kernel/random/boot_id')?.trim() ?? '';
}

/** When a process started, in ticks since boot; undefined where the system does not tell. */
const startOf = (pid: number): string | undefined => statOf(pid)?.[19];

/** True of a process that was killed and whose parent has not asked yet how it ended, as for ever in a container whose first process never asks. */
const hasEnded = (pid: number): boolean => ['Z', 'X'].includes(statOf(pid)?.[0] ?? '');

/** What the system tells of a process, from its state on; undefined where it tells nothing. */
function statOf(pid: number): readonly string[] | undefined {
  const stat = readSystem(`/proc/${pid}/stat`);
  // The name in parentheses may hold spaces.
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
}

function readSystem(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined; // no such process, or no such system
  }
}
