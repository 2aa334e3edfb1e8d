/** So many at most, as the original's caches hold. */
const MOST = 4096;

/** Values by key in the order of their last use: from the oldest on, what is over is forgotten, and beyond so many the oldest. */
export class ExpiringLru<Value> {
  readonly #values = new Map<string, Value>();
  readonly #isOver: (value: Value) => boolean;

  constructor(isOver: (value: Value) => boolean) {
    this.#isOver = isOver;
  }

  get size(): number {
    return this.#values.size;
  }

  get(key: string): Value | undefined {
    return this.#values.get(key);
  }

  set(key: string, value: Value): void {
    this.#values.delete(key);
    for (const [oldest, held] of this.#values) {
      if (this.#values.size < MOST && !this.#isOver(held)) break;
      this.#values.delete(oldest);
    }
    this.#values.set(key, value);
  }
}
