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

  /** Whether a task that asked now would wait. */
  get isFull(): boolean {
    return this.#running >= this.#most;
  }

  /** Runs a task when it is its turn; whoever gives a signal waits no longer than that, and throws its reason. */
  async run<Result>(task: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    if (this.isFull) await this.#wait(signal);
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

  #wait(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const begin = () => {
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(begin), 1);
        this.#onWaiting(this.#waiting.length);
        reject(signal?.reason);
      };
      if (signal?.aborted) return reject(signal.reason);
      signal?.addEventListener('abort', leave, { once: true });
      this.#waiting.push(begin);
      this.#onWaiting(this.#waiting.length);
    });
  }
}
