import type { Keyed } from '@/lib/contract/live';
import { deepEqual } from '@/lib/std/deep-equal';
import type { Instant } from '@/lib/std/instant';
import type { Clock, Release } from '@/server/platform';

/** Milliseconds of computing in one piece; between pieces everybody else has their turn. */
const PIECE_MS = 8;
/** Milliseconds by which a row may be behind what is known before its table says so. */
export const MAX_BEHIND_MS = 1000;

/** What a table has still to compute. */
export interface Backlog {
  readonly rows: number;
  /** When the first of them may have changed. */
  readonly since: Instant;
}

/**
 * Rows of one kind, computed when somebody looks.
 *
 * 1. `touch` marks a row as possibly out of date; nothing is computed then.
 * 2. `rows` computes what was touched since, and keeps the old row object where its content did not change,
 *    so that unchanged rows can be told by reference.
 * 3. What takes longer than a piece is computed in pieces, the oldest touch first; who listens hears of each. Until the last one
 *    `backlog` tells that rows lack or are old, unless that is so for less than a second and there were rows of everything before.
 */
export class RowTable<Row extends Keyed> {
  readonly #compute: (key: string) => Row | undefined;
  readonly #clock: Clock;
  readonly #rows = new Map<string, Row>();
  /** When each was touched first, the oldest at the beginning. */
  readonly #touched = new Map<string, Instant>();
  readonly #touchListeners = new Set<(key: string) => void>();
  readonly #rowListeners = new Set<() => void>();
  #cancelNext: Release | undefined;
  #wasComplete = false;

  constructor(compute: (key: string) => Row | undefined, clock: Clock) {
    this.#compute = compute;
    this.#clock = clock;
  }

  touch(key: string): void {
    if (!this.#touched.has(key)) this.#touched.set(key, this.#clock.now());
    for (const listener of this.#touchListeners) listener(key);
    for (const listener of this.#rowListeners) listener();
  }

  /** Hears the key of every row that may have changed, at once. */
  onTouch(listener: (key: string) => void): Release {
    this.#touchListeners.add(listener);
    return () => void this.#touchListeners.delete(listener);
  }

  /** Hears at once when any row may have changed, and when a piece of the backlog is done. */
  onRows(listener: () => void): Release {
    const own = () => listener(); // the same function twice is two listeners
    this.#rowListeners.add(own);
    return () => void this.#rowListeners.delete(own);
  }

  /** Every row, as far as it is computed. */
  rows(): ReadonlyMap<string, Row> {
    // While pieces follow one another by themselves, looking does not add to them.
    if (this.#cancelNext === undefined) this.#computePiece();
    return this.#rows;
  }

  /** What is not computed yet and may not go unsaid; undefined when the rows are good. */
  backlog(): Backlog | undefined {
    const [since] = this.#touched.values();
    if (since === undefined || this.#cancelNext === undefined) return undefined;
    if (this.#wasComplete && this.#clock.now() - since < MAX_BEHIND_MS) return undefined;
    return { rows: this.#touched.size, since };
  }

  /** Resolves once nothing is left to compute; rejects with the signal's reason when it aborts. */
  async whenComplete(signal: AbortSignal): Promise<void> {
    for (this.rows(); this.#cancelNext !== undefined; this.rows()) await this.#clock.sleep(PIECE_MS, signal);
  }

  /** Ends the computing of pieces. */
  release(): void {
    this.#cancelNext?.();
  }

  #computePiece(): void {
    this.#cancelNext = undefined;
    const end = this.#clock.now() + PIECE_MS;
    for (const key of this.#touched.keys()) {
      this.#touched.delete(key);
      this.#refresh(key);
      if (this.#touched.size > 0 && this.#clock.now() >= end) {
        this.#cancelNext = this.#clock.schedule(0, () => this.#continue());
        return;
      }
    }
    this.#wasComplete = true;
  }

  #continue(): void {
    this.#computePiece();
    for (const listener of this.#rowListeners) listener();
  }

  #refresh(key: string): void {
    const row = this.#compute(key);
    if (row === undefined) this.#rows.delete(key);
    else if (!deepEqual(this.#rows.get(key), row)) this.#rows.set(key, row);
  }
}
