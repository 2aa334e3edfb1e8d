/** One turn of the event loop. */
export interface EventLoopTurn {
  readonly lastedMs: number;
  /** What became of that time; undefined where nobody knows, and of turns too short to matter. */
  readonly split: TurnSplit | undefined;
}

/** What a turn did with its time, in milliseconds. For the rest it was blocked: by a disk, by another thread, by a host that stood still. */
export interface TurnSplit {
  readonly workedMs: number;
  /** For a processor, within the turn. */
  readonly waitedMs: number;
  /** For a processor, since the last turn that was split: a loop that is woken waits before its turn begins. */
  readonly waitedSinceMs: number;
}

/** How long the turns of the event loop were in the last minute. */
export interface EventLoopStats {
  readonly longestMs: number;
  /** Percent of the time that went by in turns over 50 ms. */
  readonly longPercent: number;
  /** Null where nobody knows what a turn did with its time. */
  readonly split: TurnBreakdown | null;
}

/** What turns did with their time in the last minute; each figure is of the turn that had most of it. */
export interface TurnBreakdown {
  readonly workMs: number;
  /** Percent of the time that went by in work, in turns of more than 50 ms of it. */
  readonly longWorkPercent: number;
  readonly waitMs: number;
  /** Percent of the time that went by waiting for a processor, between turns too. */
  readonly waitPercent: number;
  readonly blockedMs: number;
}

const LONG_MS = 50;
const PART_MS = 10_000;
const WINDOW_MS = 60_000;

interface Part {
  readonly since: number;
  longestMs: number;
  longMs: number;
  workMs: number;
  longWorkMs: number;
  waitMs: number;
  allWaitMs: number;
  blockedMs: number;
}

type Length = Exclude<keyof Part, 'since'>;

/** The turns of the last minute, ten seconds at a time. Times are milliseconds of a clock that nobody sets. */
export class TurnWindow {
  readonly #startedAt: number;
  readonly #isSplit: boolean;
  #parts: Part[] = [];

  constructor(now: number, { isSplit = false }: { readonly isSplit?: boolean } = {}) {
    this.#startedAt = now;
    this.#isSplit = isSplit;
  }

  add({ lastedMs, split }: EventLoopTurn, now: number): void {
    const last = this.#parts.at(-1);
    const part = last !== undefined && now - last.since < PART_MS ? last : this.#begin(now);
    part.longestMs = Math.max(part.longestMs, lastedMs);
    if (lastedMs > LONG_MS) part.longMs += lastedMs;
    if (split === undefined) return;
    const { workedMs, waitedMs, waitedSinceMs } = split;
    part.workMs = Math.max(part.workMs, workedMs);
    if (workedMs > LONG_MS) part.longWorkMs += workedMs;
    part.waitMs = Math.max(part.waitMs, waitedMs);
    part.allWaitMs += waitedSinceMs;
    part.blockedMs = Math.max(part.blockedMs, lastedMs - workedMs - waitedMs);
  }

  figures(now: number): EventLoopStats {
    const recent = this.#parts.filter(({ since }) => now - since < WINDOW_MS);
    const spanMs = Math.max(1, Math.min(WINDOW_MS, now - this.#startedAt));
    const most = (length: Length) => Math.round(Math.max(0, ...recent.map((part) => part[length])));
    const percent = (length: Length) => Math.round(Math.min(1, recent.reduce((sum, part) => sum + part[length], 0) / spanMs) * 1000) / 10;
    const split = {
      workMs: most('workMs'),
      longWorkPercent: percent('longWorkMs'),
      waitMs: most('waitMs'),
      waitPercent: percent('allWaitMs'),
    };
    return {
      longestMs: most('longestMs'),
      longPercent: percent('longMs'),
      split: this.#isSplit ? { ...split, blockedMs: most('blockedMs') } : null,
    };
  }

  #begin(now: number): Part {
    const part = { since: now, longestMs: 0, longMs: 0, workMs: 0, longWorkMs: 0, waitMs: 0, allWaitMs: 0, blockedMs: 0 };
    this.#parts = [...this.#parts.filter(({ since }) => now - since < WINDOW_MS), part];
    return part;
  }
}
