import { performance } from 'node:perf_hooks';
import type { Registry } from './metrics';
import { Gauge } from './metrics';

/** How long the turns of the event loop were in the last minute. */
export interface TurnFigures {
  readonly longestMs: number;
  /** Percent of the time that went by in turns over 50 ms. */
  readonly longPercent: number;
}

const LONG_MS = 50;
const PART_MS = 10_000;
const WINDOW_MS = 60_000;

interface Part {
  readonly since: number;
  longestMs: number;
  longMs: number;
}

/** The turns of the last minute, ten seconds at a time. Times are milliseconds of a clock that nobody sets. */
export class TurnWindow {
  readonly #startedAt: number;
  #parts: Part[] = [];

  constructor(now: number) {
    this.#startedAt = now;
  }

  add(turnMs: number, now: number): void {
    const last = this.#parts.at(-1);
    const part = last !== undefined && now - last.since < PART_MS ? last : this.#begin(now);
    part.longestMs = Math.max(part.longestMs, turnMs);
    if (turnMs > LONG_MS) part.longMs += turnMs;
  }

  figures(now: number): TurnFigures {
    const recent = this.#parts.filter(({ since }) => now - since < WINDOW_MS);
    const longMs = recent.reduce((sum, part) => sum + part.longMs, 0);
    const spanMs = Math.max(1, Math.min(WINDOW_MS, now - this.#startedAt));
    return {
      longestMs: Math.round(Math.max(0, ...recent.map(({ longestMs }) => longestMs))),
      longPercent: Math.round(Math.min(1, longMs / spanMs) * 1000) / 10,
    };
  }

  #begin(now: number): Part {
    const part = { since: now, longestMs: 0, longMs: 0 };
    this.#parts = [...this.#parts.filter(({ since }) => now - since < WINDOW_MS), part];
    return part;
  }
}

/** Measures of the event loop while it runs. */
export interface Turns extends AsyncDisposable {
  figures(): TurnFigures;
}

/**
 * Measures every turn of the event loop from a moment on, for the Engine page and as metrics: before anybody can ask, nobody waits. What measures
 * has no claim to be waited for: it comes by once per turn, and the loop sleeps when there is nothing to do. Time that the loop slept counts as no turn.
 */
export function watchTurns(metrics: Registry, from: Promise<void>): Turns {
  let window: TurnWindow | undefined;
  let next: NodeJS.Immediate | undefined;
  let isOver = false;
  void from.then(() => {
    if (isOver) return;
    const begun = new TurnWindow(performance.now());
    let { active } = performance.eventLoopUtilization();
    const tick = () => {
      const before = active;
      ({ active } = performance.eventLoopUtilization());
      begun.add(active - before, performance.now());
      next = setImmediate(tick).unref();
    };
    window = begun;
    next = setImmediate(tick).unref();
  });
  const figures = () => window?.figures(performance.now()) ?? { longestMs: 0, longPercent: 0 };
  measure(metrics, figures);
  return {
    figures,
    [Symbol.asyncDispose]: async () => {
      isOver = true;
      clearImmediate(next);
    },
  };
}

function measure(metrics: Registry, figures: () => TurnFigures): void {
  const registers = [metrics];
  new Gauge({
    name: 'slipway_loop_turn_longest_seconds',
    help: 'The longest turn of the event loop in the last minute',
    registers,
    collect() {
      this.set(figures().longestMs / 1000);
    },
  });
  new Gauge({
    name: 'slipway_loop_turns_long_ratio',
    help: 'Share of the last minute that went by in turns of the event loop over 50 ms',
    registers,
    collect() {
      this.set(figures().longPercent / 100);
    },
  });
}
