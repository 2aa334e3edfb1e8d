import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Clock } from '@/server/platform';

/** A process group that an earlier server of this folder started and that outlived it. */
export interface OrphanedProcessGroup {
  readonly group: number;
  /** What it does to which release; undefined for git. */
  readonly work: { readonly command: string; readonly namespace: string; readonly name: string } | undefined;
}

interface Left {
  /** The homes of all processes that chart sync starts lie below it. */
  readonly folder: string;
  /** The process that started nothing that is left over, nor did what it starts programs by. */
  readonly own: number;
}

interface Ending {
  readonly clock: Clock;
  /** How long it may take to end once it is asked to. */
  readonly graceMs: number;
}

/** What the environment of a Helm says it does: the command, the namespace and the name of the release. */
export const HELM_RUN_VARIABLE = 'SLIPWAY_WORK';

const LOOK_MS = 100;

/**
 * Finds what a server that was killed left running. By the environment and not by a file of process ids: what a process was started with cannot be stale,
 * cannot be missed by a kill between start and writing, and is no other program's that got the same id since. Nothing is found where the system has no /proc.
 */
export async function findOrphanedProcesses({ folder, own }: Left): Promise<readonly OrphanedProcessGroup[]> {
  const processes = await readProcesses();
  const starters = new Set([own, ...processes.filter(({ parent }) => parent === own).map(({ pid }) => pid)]);
  const children = new Set(processes.filter(({ pid, group, parent }) => pid === group && starters.has(parent)).map(({ group }) => group));
  const found = new Map<number, OrphanedProcessGroup>();
  for (const { pid, group } of processes) {
    if (pid === own || children.has(group)) continue;
    const environment = await readEnvironment(pid);
    if (!(environment.get('HOME') ?? '').startsWith(`${folder}${path.sep}`)) continue;
    const known = found.get(group)?.work;
    found.set(group, { group, work: known ?? readWork(environment.get(HELM_RUN_VARIABLE)) });
  }
  return [...found.values()];
}

/** Resolves when nothing of a group runs any more; an abort asks it to end, and what is left after the grace is killed. */
export async function awaitGroup(group: number, { clock, graceMs, signal }: Ending & { readonly signal: AbortSignal }): Promise<void> {
  let killAt: number | undefined;
  while (signalGroup(group, 0)) {
    if (signal.aborted && killAt === undefined) {
      killAt = clock.now() + graceMs;
      signalGroup(group, 'SIGTERM');
    } else if (killAt !== undefined && clock.now() >= killAt) signalGroup(group, 'SIGKILL');
    await clock.sleep(LOOK_MS);
  }
}

/** Ends a group now: asked first, made after the grace. */
export function endGroup(group: number, ending: Ending): Promise<void> {
  return awaitGroup(group, { ...ending, signal: AbortSignal.abort() });
}

/** False where there is no such group any more. */
function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-group, signal);
  } catch {
    return false;
  }
}

interface Running {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
}

async function readProcesses(): Promise<readonly Running[]> {
  const names = await readdir('/proc').catch(() => []); // a system without it
  const read = async (name: string): Promise<readonly Running[]> => {
    const stat = await readFile(`/proc/${name}/stat`, 'latin1').catch(() => ''); // it has ended meanwhile
    // The name of the program may hold anything, brackets included; what follows it is its state and then numbers.
    const [state, parent, group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return stat === '' || state === 'Z' ? [] : [{ pid: Number(name), parent: Number(parent), group: Number(group) }];
  };
  return (await Promise.all(names.filter((name) => /^\d+$/.test(name)).map(read))).flat();
}

/** Empty for a process of somebody else. */
async function readEnvironment(pid: number): Promise<ReadonlyMap<string, string>> {
  const text = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
  return new Map(text.split('\0').map((entry) => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)]));
}

function readWork(text: string | undefined): OrphanedProcessGroup['work'] {
  if (text === undefined) return undefined;
  const [command = '', namespace = '', name = ''] = text.split(' ');
  return { command, namespace, name };
}
