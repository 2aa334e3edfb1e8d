/** A signal that is buffered once: whatever comes before it is taken merges into it (R-LOOP-8). */
export class CoalescedSignal {
  #set = false;
  #waiting: (() => void) | undefined;

  set(): void {
    this.#set = true;
    this.#waiting?.();
  }

  /** Takes the signal; false when there is none. */
  take(): boolean {
    const was = this.#set;
    this.#set = false;
    return was;
  }

  /** Resolves when there is a signal, or when the abort comes. */
  async wait(signal: AbortSignal): Promise<void> {
    if (this.#set || signal.aborted) return;
    await new Promise<void>((resolve) => {
      const done = () => {
        signal.removeEventListener('abort', done);
        this.#waiting = undefined;
        resolve();
      };
      this.#waiting = done;
      signal.addEventListener('abort', done, { once: true });
    });
  }
}
