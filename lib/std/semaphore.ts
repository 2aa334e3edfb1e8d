interface Waiting {
  readonly of: string;
  readonly begin: () => void;
}

/** Lets so many tasks run at once. Of those that wait the one comes next whose owner began one longest ago, so that nobody is kept out by whoever asks for many; else in the order of asking. */
export class Semaphore {
  readonly #most: number;
  readonly #onWaiting: (tasks: number) => void;
  readonly #waiting: Waiting[] = [];
  /** When owners began one last, counted in tasks, as long as somebody waits. */
  readonly #begun = new Map<string, number>();
  #count = 0;
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
  async run<Result>(task: () => Promise<Result>, signal?: AbortSignal, of = ''): Promise<Result> {
    if (this.isFull) await this.#wait(signal, of);
    else this.#running++;
    this.#begun.set(of, this.#count++);
    try {
      return await task();
    } finally {
      const next = this.#takeNext();
      if (next === undefined) this.#running--;
      else next.begin(); // it takes this one's place
      this.#onWaiting(this.#waiting.length);
    }
  }

  #takeNext(): Waiting | undefined {
    const begunAt = ({ of }: Waiting) => this.#begun.get(of) ?? -1;
    const [first, ...others] = this.#waiting;
    if (first === undefined) {
      this.#begun.clear();
      return undefined;
    }
    const next = others.reduce((best, one) => (begunAt(one) < begunAt(best) ? one : best), first);
    this.#waiting.splice(this.#waiting.indexOf(next), 1);
    return next;
  }

  #wait(signal: AbortSignal | undefined, of: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const begin = () => {
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        this.#onWaiting(this.#waiting.length);
        reject(signal?.reason);
      };
      const waiting = { of, begin };
      if (signal?.aborted) return reject(signal.reason);
      signal?.addEventListener('abort', leave, { once: true });
      this.#waiting.push(waiting);
      this.#onWaiting(this.#waiting.length);
    });
  }
}
