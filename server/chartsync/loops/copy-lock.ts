/**
 * A readers–writer lock over the working copy (R-LOCK-1).
 *
 * 1. Readers run beside each other; a writer runs alone.
 * 2. While a writer waits, new readers queue behind it, so that it is not starved.
 * 3. Whoever asks first is served first.
 */
export class CopyLock {
  #readers = 0;
  #writing = false;
  readonly #queue: { readonly kind: 'read' | 'write'; readonly begin: () => void }[] = [];

  /** Runs a task that reads the copy. */
  read<Result>(task: () => Promise<Result>): Promise<Result> {
    return this.#run('read', task);
  }

  /** Runs a task that replaces the copy. */
  write<Result>(task: () => Promise<Result>): Promise<Result> {
    return this.#run('write', task);
  }

  async #run<Result>(kind: 'read' | 'write', task: () => Promise<Result>): Promise<Result> {
    await new Promise<void>((begin) => {
      this.#queue.push({ kind, begin });
      this.#serve();
    });
    try {
      return await task();
    } finally {
      if (kind === 'read') this.#readers--;
      else this.#writing = false;
      this.#serve();
    }
  }

  #serve(): void {
    for (let next = this.#queue[0]; next !== undefined && this.#mayBegin(next.kind); next = this.#queue[0]) {
      this.#queue.shift();
      if (next.kind === 'read') this.#readers++;
      else this.#writing = true;
      next.begin();
    }
  }

  #mayBegin(kind: 'read' | 'write'): boolean {
    return !this.#writing && (kind === 'read' || this.#readers === 0);
  }
}
