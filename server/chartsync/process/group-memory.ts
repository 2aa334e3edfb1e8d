import { readdir, readFile } from 'node:fs/promises';
import type { Clock, Release } from '@/server/platform';

/** What a process group may hold, and what happens above it. */
interface Watch {
  /** The process that leads the group. */
  readonly pid: number;
  readonly limitBytes: number;
  readonly clock: Clock;
  readonly onOver: () => void;
}

const LOOK_MS = 500;

/** Looks twice a second at the memory that a process group holds, until it is released or over the limit. Where a system does not tell, nothing happens. */
export function watchMemory({ pid, limitBytes, clock, onOver }: Watch): Release {
  let isReleased = false;
  let release: Release = () => undefined;
  const look = async () => {
    const bytes = await groupMemory(pid);
    if (isReleased) return;
    if (bytes > limitBytes) onOver();
    else release = clock.schedule(LOOK_MS, () => void look());
  };
  release = clock.schedule(LOOK_MS, () => void look());
  return () => {
    isReleased = true;
    release();
  };
}

/** The resident memory of all processes of a group together, pages that they share counted for each; 0 where the system does not tell. */
export async function groupMemory(group: number): Promise<number> {
  const names = await readdir('/proc').catch(() => []);
  const sizes = await Promise.all(names.filter((name) => /^\d+$/.test(name)).map((pid) => memoryOf(pid, group)));
  return sizes.reduce((sum, bytes) => sum + bytes, 0);
}

async function memoryOf(pid: string, group: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => ''); // it has ended meanwhile
  // The name of the program may hold anything, brackets included; what follows it is numbers.
  if (Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2]) !== group) return 0;
  const status = await readFile(`/proc/${pid}/status`, 'latin1').catch(() => '');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024;
}
