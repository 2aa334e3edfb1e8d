/** Lets so many tasks run at once; the others wait in the order of asking. */
export class Semaphore {
  readonly #most: number;
  readonly #onWaiting: (tasks: number) => void;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  /** `onWaiting` hears how many wait whenever that changes. */
  constructor(most: number, onWaiting: (tasks: number) => void = () => undefined) {
    this.#most = most;
    this.#onWaiting = onWaiting;
  }

  /** Runs a task when it is its turn. */
  async run<Result>(task: () => Promise<Result>): Promise<Result> {
    if (this.#running >= this.#most) await this.#wait();
    else this.#running++;
    try {
      return await task();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running--;
      else next(); // it takes this one's place
      this.#onWaiting(this.#waiting.length);
    }
  }

  #wait(): Promise<void> {
    return new Promise((begin) => {
      this.#waiting.push(begin);
      this.#onWaiting(this.#waiting.length);
    });
  }
}
