/**
 * A readers–writer lock over the working copy (R-LOCK-1).
 *
 * 1. Readers run beside each other; a writer runs alone.
 * 2. While a writer waits, new readers queue behind it, so that it is not starved.
 * 3. Whoever asks first is served first.
 * 4. A writer that is let past runs beside those who read now; nobody waits for them any more.
 */
export class WorkingCopyLock {
  /** Those that a writer waits for. */
  #readers = { count: 0 };
  #writing = false;
  readonly #queue: { readonly kind: 'read' | 'write'; readonly begin: (readers: { count: number }) => void }[] = [];

  /** Runs a task that reads the copy. */
  read<Result>(task: () => Promise<Result>): Promise<Result> {
    return this.#run('read', task);
  }

  /** Runs a task that replaces the copy. */
  write<Result>(task: () => Promise<Result>): Promise<Result> {
    return this.#run('write', task);
  }

  /** Lets the writer that waits now, if one does, go on without the end of those who read. */
  letPast(): void {
    if (this.#queue[0]?.kind !== 'write') return;
    this.#readers = { count: 0 };
    this.#serve();
  }

  async #run<Result>(kind: 'read' | 'write', task: () => Promise<Result>): Promise<Result> {
    const readers = await new Promise<{ count: number }>((begin) => {
      this.#queue.push({ kind, begin });
      this.#serve();
    });
    try {
      return await task();
    } finally {
      if (kind === 'read') readers.count--;
      else this.#writing = false;
      this.#serve();
    }
  }

  #serve(): void {
    for (let next = this.#queue[0]; next !== undefined && this.#mayBegin(next.kind); next = this.#queue[0]) {
      this.#queue.shift();
      if (next.kind === 'read') this.#readers.count++;
      else this.#writing = true;
      next.begin(this.#readers);
    }
  }

  #mayBegin(kind: 'read' | 'write'): boolean {
    return !this.#writing && (kind === 'read' || this.#readers.count === 0);
  }
}
