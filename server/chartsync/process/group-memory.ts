import { readdir, readFile } from 'node:fs/promises';

/** The resident memory of all processes of a group together, pages that they share counted for each; 0 where the system does not tell. */
export async function groupMemory(group: number): Promise<number> {
  return sumOver(group, memoryOf);
}

/** The processor time in milliseconds that the processes of a group took so far, with those of theirs that have ended; 0 where the system does not tell. */
export async function groupProcessorTime(group: number): Promise<number> {
  const ticks = await sumOver(group, async (_pid, stat) => stat.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0));
  return (ticks * 1000) / TICKS_PER_SECOND;
}

/** What Linux counts in towards programs, whatever it counts in itself. */
const TICKS_PER_SECOND = 100;

async function sumOver(group: number, measure: (pid: string, stat: readonly string[]) => Promise<number>): Promise<number> {
  const names = await readdir('/proc').catch(() => []); // a system without it
  const sizes = await Promise.all(
    names.map(async (pid) => {
      const stat = /^\d+$/.test(pid) ? await statOf(pid) : [];
      return Number(stat[2]) === group ? measure(pid, stat) : 0;
    }),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** The numbers that follow the name of the program, which may hold anything, brackets included. */
async function statOf(pid: string): Promise<readonly string[]> {
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => ''); // it has ended meanwhile
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

async function memoryOf(pid: string): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'latin1').catch(() => ''); // it has ended since
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024;
}
