import { readdir, readFile } from 'node:fs/promises';

/** The resident memory of all processes of a group together, pages that they share counted for each; 0 where the system does not tell. */
export async function groupMemory(group: number): Promise<number> {
  const names = await readdir('/proc').catch(() => []); // a system without it
  const sizes = await Promise.all(names.filter((name) => /^\d+$/.test(name)).map((pid) => memoryOf(pid, group)));
  return sizes.reduce((sum, bytes) => sum + bytes, 0);
}

async function memoryOf(pid: string, group: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => ''); // it has ended meanwhile
  // The name of the program may hold anything, brackets included; what follows it is numbers.
  if (Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2]) !== group) return 0;
  const status = await readFile(`/proc/${pid}/status`, 'latin1').catch(() => ''); // it has ended since
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024;
}
