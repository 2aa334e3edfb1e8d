/** Runs at most one task per key at a time, in the order of asking (R-LOCK-3). */
export class Exclusion {
  readonly #tails = new Map<string, Promise<void>>();

  /** Resolves when nothing runs and nobody waits. */
  async idle(): Promise<void> {
    while (this.#tails.size > 0) await Promise.all(this.#tails.values());
  }

  /** Runs the task when all earlier ones of the key have ended, however they ended. */
  async run<Result>(key: string, task: () => Promise<Result>): Promise<Result> {
    const turn = (this.#tails.get(key) ?? Promise.resolve()).then(task);
    // Whoever asked hears of a failure; the next in line only waits for the end.
    const tail = turn.then(
      () => undefined,
      () => undefined,
    );
    this.#tails.set(key, tail);
    try {
      return await turn;
    } finally {
      if (this.#tails.get(key) === tail) this.#tails.delete(key); // nobody waits any more
    }
  }
}
