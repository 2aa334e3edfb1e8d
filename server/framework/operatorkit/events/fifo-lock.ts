/** A lock that serves in the order of asking. */
export class FifoLock {
  #tail: Promise<void> = Promise.resolve();

  /** Runs a task alone; the lock is free again however the task ends. */
  run<T>(task: () => Promise<T>): Promise<T> {
    const turn = this.#tail.then(task);
    // Whoever asked hears of a failure; the next in line only waits for the end.
    this.#tail = turn.then(
      () => undefined,
      () => undefined,
    );
    return turn;
  }
}
