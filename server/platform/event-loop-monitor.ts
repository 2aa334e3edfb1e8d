import { performance } from 'node:perf_hooks';
import type { EventLoopStats, EventLoopTurn, TurnBreakdown, TurnSplit } from './event-loop-stats';
import { TurnWindow } from './event-loop-stats';
import type { Registry } from './metrics';
import { Gauge } from './metrics';
import type { ThreadTimes, ThreadTimesReader } from './thread-times';
import { openThreadTimes } from './thread-times';

/** Measures of the event loop while it runs. */
export interface EventLoopMonitor extends AsyncDisposable {
  figures(): EventLoopStats;
}

/**
 * Measures every turn of the event loop from a moment on, for the Engine page and as metrics: before anybody can ask, nobody waits. Where the system
 * keeps an account of the thread, it tells too what turns did with their time.
 */
export function monitorEventLoop(metrics: Registry, from: Promise<void>, open = openThreadTimes): EventLoopMonitor {
  const times = open();
  const isSplit = times !== undefined;
  let window: TurnWindow | undefined;
  let stop = (): void => undefined;
  let isOver = false;
  void from.then(() => {
    if (isOver) return;
    const begun = new TurnWindow(performance.now(), { isSplit });
    window = begun;
    stop = onEventLoopTurn(times, (turn) => begun.add(turn, performance.now()));
  });
  const nothing = new TurnWindow(0, { isSplit }).figures(0);
  const figures = () => window?.figures(performance.now()) ?? nothing;
  measure(metrics, figures);
  if (isSplit) measureSplit(metrics, () => figures().split);
  return {
    figures,
    [Symbol.asyncDispose]: async () => {
      isOver = true;
      stop();
      times?.[Symbol.dispose]();
    },
  };
}

/**
 * Tells every turn of the event loop from now on, until what it answers is called. What measures has no claim to be waited for: it comes by once
 * per turn, and the loop sleeps when there is nothing to do. Time that the loop slept counts as no turn.
 */
export function onEventLoopTurn(times: ThreadTimesReader | undefined, notify: (turn: EventLoopTurn) => void): () => void {
  let { active } = performance.eventLoopUtilization();
  const account = times && new Account(times, active);
  const tick = () => {
    const before = active;
    ({ active } = performance.eventLoopUtilization());
    const lastedMs = active - before;
    notify({ lastedMs, split: account?.split(lastedMs, active) });
    next = setImmediate(tick).unref();
  };
  let next = setImmediate(tick).unref();
  return () => clearImmediate(next);
}

/** What is shorter is accounted for with the turn after it, so that a busy loop does not ask the system thousands of times a second. */
const SPLIT_FROM_MS = 2;

/** Divides what a loop was active by the account of its thread. */
class Account {
  readonly #times: ThreadTimesReader;
  #active: number;
  #seen: ThreadTimes;

  constructor(times: ThreadTimesReader, active: number) {
    this.#times = times;
    this.#active = active;
    this.#seen = times.read();
  }

  /** Of the turn that just ended; undefined for one that is too short. */
  split(lastedMs: number, active: number): TurnSplit | undefined {
    if (active - this.#active < SPLIT_FROM_MS) return undefined;
    const before = this.#seen;
    this.#seen = this.#times.read();
    this.#active = active;
    // In the account are short turns before this one, and waking up too: of this one is no more than it lasted.
    const workedMs = Math.min(lastedMs, this.#seen.workedMs - before.workedMs);
    const waitedSinceMs = this.#seen.waitedMs - before.waitedMs;
    return { workedMs, waitedMs: Math.min(lastedMs - workedMs, waitedSinceMs), waitedSinceMs };
  }
}

function measure(metrics: Registry, figures: () => EventLoopStats): void {
  show(metrics, {
    name: 'turn_longest_seconds',
    help: 'The longest turn of the event loop in the last minute',
    value: () => figures().longestMs / 1000,
  });
  show(metrics, {
    name: 'turns_long_ratio',
    help: 'Share of the last minute that went by in turns of the event loop over 50 ms',
    value: () => figures().longPercent / 100,
  });
}

/** Only where the system tells it: a figure of nothing would say that nobody waited. */
function measureSplit(metrics: Registry, figures: () => TurnBreakdown | null): void {
  const told: readonly (readonly [figure: keyof TurnBreakdown, name: string, help: string])[] = [
    ['workMs', 'turn_work_longest_seconds', 'The most that the event loop worked in one turn in the last minute'],
    ['longWorkPercent', 'turns_work_long_ratio', 'Share of the last minute that the event loop worked in turns of more than 50 ms of work'],
    ['waitMs', 'turn_wait_longest_seconds', 'The longest that one turn of the event loop waited for a processor in the last minute'],
    ['waitPercent', 'wait_ratio', 'Share of the last minute that the event loop waited for a processor'],
    ['blockedMs', 'turn_blocked_longest_seconds', 'The longest that one turn neither worked nor waited for a processor in the last minute'],
  ];
  for (const [figure, name, help] of told) {
    const per = name.endsWith('_seconds') ? 1000 : 100;
    show(metrics, { name, help, value: () => (figures()?.[figure] ?? 0) / per });
  }
}

function show(
  metrics: Registry,
  { name, help, value }: { readonly name: string; readonly help: string; readonly value: () => number },
): void {
  new Gauge({
    name: `slipway_loop_${name}`,
    help,
    registers: [metrics],
    collect() {
      this.set(value());
    },
  });
}
