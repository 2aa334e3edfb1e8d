import type { Keyed } from '@/lib/contract/live';
import { deepEqual } from '@/lib/std/deep-equal';
import type { Release } from '@/server/platform';

/**
 * Rows of one kind, computed when somebody looks.
 *
 * 1. `touch` marks a row as possibly out of date; nothing is computed then.
 * 2. `rows` computes what was touched since, and keeps the old row object where its content did not change,
 *    so that unchanged rows can be told by reference.
 */
export class RowTable<Row extends Keyed> {
  readonly #compute: (key: string) => Row | undefined;
  readonly #rows = new Map<string, Row>();
  readonly #touched = new Set<string>();
  readonly #listeners = new Set<(key: string) => void>();

  constructor(compute: (key: string) => Row | undefined) {
    this.#compute = compute;
  }

  touch(key: string): void {
    this.#touched.add(key);
    for (const listener of this.#listeners) listener(key);
  }

  /** Marks every row, for instance because something all of them rest on changed. */
  touchAll(): void {
    for (const key of this.#rows.keys()) this.touch(key);
  }

  /** Hears the key of every row that may have changed, at once. */
  onTouch(listener: (key: string) => void): Release {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  rows(): ReadonlyMap<string, Row> {
    for (const key of this.#touched) this.#refresh(key);
    this.#touched.clear();
    return this.#rows;
  }

  #refresh(key: string): void {
    const row = this.#compute(key);
    if (row === undefined) this.#rows.delete(key);
    else if (!deepEqual(this.#rows.get(key), row)) this.#rows.set(key, row);
  }
}
