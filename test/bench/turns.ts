import { performance } from 'node:perf_hooks';

/** How long the turns of the event loop were while something ran. */
export interface Turns {
  readonly seconds: number;
  readonly longestMs: number;
  /** Most processor time that one turn took; what neighbours on the machine take from a turn is not in it. */
  readonly longestCpuMs: number;
  /** Share of the time that went by in turns over 50 ms. */
  readonly longShare: number;
  /** The same by processor time: of turns over 50 ms, of all. */
  readonly longCpuShare: number;
}

const LONG_MS = 50;

/**
 * Measures every turn of the event loop while the work runs. A task without a claim to be waited for comes by once per turn, so the
 * loop sleeps when there is nothing to do; one that is waited for kept a processor busy that the work needed.
 */
export async function measureTurns(work: () => Promise<unknown>): Promise<Turns> {
  const wall = new Longest();
  const cpu = new Longest();
  const startedAt = performance.now();
  let { active } = performance.eventLoopUtilization();
  let used = usedMs();
  const tick = () => {
    const before = { active, used };
    ({ active } = performance.eventLoopUtilization());
    used = usedMs();
    const turn = active - before.active;
    wall.add(turn);
    // Other threads compute while the loop sleeps; a turn takes no more than it lasts.
    cpu.add(Math.min(turn, used - before.used));
    next = setImmediate(tick).unref();
  };
  let next = setImmediate(tick).unref();
  try {
    await work();
  } finally {
    clearImmediate(next);
  }
  const seconds = (performance.now() - startedAt) / 1000;
  return { seconds, longestMs: wall.longest, longestCpuMs: cpu.longest, longShare: wall.long / (seconds * 1000), longCpuShare: cpu.long / cpu.all };
}

function usedMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** The longest of some lengths, the sum of the long ones, and of all. */
class Longest {
  longest = 0;
  long = 0;
  all = 0;

  add(ms: number): void {
    this.longest = Math.max(this.longest, ms);
    if (ms > LONG_MS) this.long += ms;
    this.all += ms;
  }
}
