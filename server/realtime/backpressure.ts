/** Pieces of a connection that may wait to leave, of 8 KB each. */
const MAX_WAITING = 256;

/**
 * What is sent through one connection and has not left it. A client may say that it took what it never read, so what it says is not enough to
 * go on: the connection has to have passed it on as well.
 */
export class Backpressure {
  #waiting = 0;
  #drained: Promise<void> | undefined;
  #onDrained: () => void = () => undefined;
  #isOver = false;

  /** Counts something that was given to the connection. */
  count(): void {
    this.#waiting++;
  }

  /** The connection has passed on what it was given. */
  clear(): void {
    this.#waiting = 0;
    this.#drained = undefined;
    this.#onDrained();
  }

  /** Nothing leaves any more, so nobody is to wait. */
  end(): void {
    this.#isOver = true;
    this.clear();
  }

  /** Resolves when little enough waits; one after the other looks again, so each that waited adds one at most. */
  async whenRoom(): Promise<void> {
    while (this.#waiting >= MAX_WAITING && !this.#isOver) {
      this.#drained ??= new Promise((resolve) => {
        this.#onDrained = resolve;
      });
      await this.#drained;
    }
  }
}
