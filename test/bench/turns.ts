import { onEventLoopTurn } from '@/server/platform/event-loop-monitor';
import { openThreadTimes } from '@/server/platform/thread-times';
import type { Figure } from './figure';

/** How long the turns of the event loop were while something ran. */
export interface Turns {
  readonly seconds: number;
  readonly byClock: TurnLengths;
  /** What turns worked, without what they waited for a processor or were blocked; undefined where the system does not tell. */
  readonly byWork: TurnLengths | undefined;
}

interface TurnLengths {
  readonly longestMs: number;
  /** Percent of the time that went by in turns over 50 ms. */
  readonly longPercent: number;
}

const LONG_MS = 50;

/** Measures every turn of the event loop while the work runs. */
export async function measureTurns(work: () => Promise<unknown>): Promise<Turns> {
  using times = openThreadTimes();
  const [clock, worked] = [new Longest(), new Longest()];
  const startedAt = performance.now();
  const stop = onEventLoopTurn(times, ({ lastedMs, split }) => {
    clock.add(lastedMs);
    if (split !== undefined) worked.add(split.workedMs);
  });
  try {
    await work();
  } finally {
    stop();
  }
  const tookMs = performance.now() - startedAt;
  return { seconds: tookMs / 1000, byClock: clock.in(tookMs), byWork: times && worked.in(tookMs) };
}

/** The figures of some turns, which are judged by work where it is known: what neighbours on the machine take is none of ours. */
export function turnFigures(what: string, { byClock, byWork }: Omit<Turns, 'seconds'>): readonly [longest: Figure, share: Figure] {
  const { longestMs, longPercent } = byWork ?? byClock;
  const how = byWork === undefined ? '' : ' of work';
  return [
    {
      what: `${what}: longest turn of the event loop${how}`,
      value: longestMs,
      unit: 'ms',
      beside: { what: 'by the clock', value: byClock.longestMs },
      limit: { of: 'value', atMost: 100 },
    },
    {
      what: `${what}: share of the time in turns over 50 ms${how}`,
      value: longPercent,
      unit: '%',
      beside: { what: 'by the clock', value: byClock.longPercent },
      limit: { of: 'value', atMost: 1 },
    },
  ];
}

/** The longest of some lengths, and the sum of the long ones. */
class Longest {
  #longest = 0;
  #long = 0;

  add(ms: number): void {
    this.#longest = Math.max(this.#longest, ms);
    if (ms > LONG_MS) this.#long += ms;
  }

  in(allMs: number): TurnLengths {
    return { longestMs: this.#longest, longPercent: (this.#long / allMs) * 100 };
  }
}
