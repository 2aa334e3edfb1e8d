interface Waiter {
  resolve(): void;
  reject(reason: unknown): void;
}

/** Whether a first list is through, and who waits for it. */
export class InitialList {
  readonly #waiters = new Set<Waiter>();
  #isThrough = false;
  #closed: unknown;

  get isThrough(): boolean {
    return this.#isThrough;
  }

  /** Lets everybody go on, now and from now on. */
  pass(): void {
    this.#isThrough = true;
    for (const { resolve } of this.#waiters) resolve();
    this.#waiters.clear();
  }

  /** There will be none. */
  close(reason: unknown): void {
    this.#closed = reason;
    for (const { reject } of this.#waiters) reject(reason);
    this.#waiters.clear();
  }

  async wait(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    if (this.#isThrough) return;
    if (this.#closed !== undefined) throw this.#closed;
    let onAbort = (): void => undefined;
    try {
      await new Promise<void>((resolve, reject) => {
        onAbort = () => reject(signal?.reason);
        this.#waiters.add({ resolve, reject });
        signal?.addEventListener('abort', onAbort, { once: true });
      });
    } finally {
      signal?.removeEventListener('abort', onAbort);
    }
  }
}
