import type { LogLine } from '@/lib/contract/log-stream';
import type { LogLevel } from './log-level';
import { isAtLeast, readLevel } from './log-level';
import type { LogLines } from './log-lines';
import { breakRows, isFound, toDisplayText } from './log-text';

/** Which lines are shown, and how. */
export interface LineView {
  readonly search: string;
  /** Lines without what is searched for are left out. */
  readonly onlyFound: boolean;
  readonly level: LogLevel | undefined;
  /** Columns of a row; undefined where lines are not wrapped. */
  readonly columns: number | undefined;
}

const LINES_A_LOOK = 256;
const TIDY_AFTER = 4096;

/** The lines of a log that are shown, and on which row each begins. It keeps up with the log in steps, so that no frame waits for it. */
export class ShownLines {
  readonly wish: LineView;
  readonly #lines: LogLines;
  #next: number;
  #numbers: number[] = [];
  /** Rows above each, of everything that was ever shown. */
  #tops: number[] = [];
  #found: number[] = [];
  #start = 0;
  #foundStart = 0;
  #end = 0;
  /** The level that lines of a container without one take: that of the line before them, as those of a stack trace do. */
  readonly #levels = new Map<number, LogLevel>();

  constructor(lines: LogLines, wish: LineView) {
    this.#lines = lines;
    this.#next = lines.first;
    this.wish = wish;
  }

  get count(): number {
    return this.#numbers.length - this.#start;
  }

  get rows(): number {
    return this.#end - (this.#tops[this.#start] ?? this.#end);
  }

  /** How many lines hold what is searched for. */
  get found(): number {
    return this.#found.length - this.#foundStart;
  }

  get isBehind(): boolean {
    return this.#next < this.#lines.end;
  }

  /** Number of a shown line, counted from the oldest. */
  number(index: number): number {
    return this.#numbers[this.#start + index] ?? -1;
  }

  /** Row on which a shown line begins. */
  top(index: number): number {
    return (this.#tops[this.#start + index] ?? this.#end) - (this.#tops[this.#start] ?? this.#end);
  }

  /** The shown line on a row. */
  indexAt(row: number): number {
    return Math.max(0, firstOver(this.#tops, this.#start, row + (this.#tops[this.#start] ?? 0)) - 1 - this.#start);
  }

  /** Where a line of the log stands among those shown. */
  indexOf(number: number): number {
    return firstOver(this.#numbers, this.#start, number) - 1 - this.#start;
  }

  /** Number of the found line after or before a number; the circle closes at the ends. -1 where nothing is found. */
  nextFound(number: number, step: 1 | -1): number {
    if (this.found === 0) return -1;
    const after = firstOver(this.#found, this.#foundStart, step === 1 ? number : number - 1);
    const at = step === 1 ? after : after - 1;
    return this.#found[at < this.#foundStart ? this.#found.length - 1 : at >= this.#found.length ? this.#foundStart : at] ?? -1;
  }

  /** Which of the found lines one is, from 1. */
  placeOfFound(number: number): number {
    return firstOver(this.#found, this.#foundStart, number) - this.#foundStart;
  }

  /** Keeps up with the log until a moment. */
  advance(until: number, now: () => number): void {
    this.#dropGone();
    do {
      const end = Math.min(this.#lines.end, this.#next + LINES_A_LOOK);
      for (; this.#next < end; this.#next++) this.#take(this.#next);
    } while (this.isBehind && now() < until);
  }

  #take(number: number): void {
    const line = this.#lines.at(number);
    if (line === undefined) return;
    const { search, onlyFound, columns } = this.wish;
    if (!this.#fitsLevel(line)) return;
    const isHit = search !== '' && line.mark === undefined && isFound(toDisplayText(line.text), search);
    if (search !== '' && onlyFound && !isHit && line.mark === undefined) return;
    if (isHit) this.#found.push(number);
    this.#numbers.push(number);
    this.#tops.push(this.#end);
    this.#end += columns === undefined || line.mark !== undefined ? 1 : breakRows(toDisplayText(line.text), columns).length;
  }

  #fitsLevel({ from, mark, text }: LogLine): boolean {
    const least = this.wish.level;
    if (least === undefined || mark !== undefined) return true;
    const level = readLevel(text) ?? this.#levels.get(from);
    if (level === undefined) return false;
    this.#levels.set(from, level);
    return isAtLeast(level, least);
  }

  #dropGone(): void {
    const { first } = this.#lines;
    while (this.#start < this.#numbers.length && (this.#numbers[this.#start] ?? 0) < first) this.#start++;
    while (this.#foundStart < this.#found.length && (this.#found[this.#foundStart] ?? 0) < first) this.#foundStart++;
    this.#next = Math.max(this.#next, first);
    if (this.#start > TIDY_AFTER) {
      this.#numbers = this.#numbers.slice(this.#start);
      this.#tops = this.#tops.slice(this.#start);
      this.#start = 0;
    }
    if (this.#foundStart > TIDY_AFTER) {
      this.#found = this.#found.slice(this.#foundStart);
      this.#foundStart = 0;
    }
  }
}

/** The first place from a start on whose value is over another; the length where none is. */
function firstOver(sorted: readonly number[], start: number, value: number): number {
  let [low, high] = [start, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) > value) high = middle;
    else low = middle + 1;
  }
  return low;
}
