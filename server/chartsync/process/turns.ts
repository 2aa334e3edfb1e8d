/** Lets so many tasks run at once; the others wait in the order of asking. */
export class Turns {
  readonly #most: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Runs a task when it is its turn. */
  async run<Result>(task: () => Promise<Result>): Promise<Result> {
    if (this.#running >= this.#most) await new Promise<void>((begin) => void this.#waiting.push(begin));
    else this.#running++;
    try {
      return await task();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running--;
      else next(); // it takes this one's place
    }
  }
}
