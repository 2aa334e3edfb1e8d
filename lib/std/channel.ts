/** A bounded stream between producers and one consumer: sending waits for room, which is how back-pressure reaches the source. */
export class Channel<Item> implements AsyncIterable<Item> {
  readonly #capacity: number;
  readonly #items: Item[] = [];
  readonly #senders: (() => void)[] = [];
  #taker: (() => void) | undefined;
  #closed = false;
  #failure: { readonly error: unknown } | undefined;

  constructor(capacity = 1) {
    this.#capacity = capacity;
  }

  /** Resolves when the item was taken in; after a close it is dropped. */
  async send(item: Item): Promise<void> {
    while (this.#items.length >= this.#capacity && !this.#closed) await new Promise<void>((resolve) => void this.#senders.push(resolve));
    if (this.#closed) return;
    this.#items.push(item);
    this.#taker?.();
  }

  /** Ends the stream after what was sent already; with an error it ends by throwing it. */
  close(failure?: { readonly error: unknown }): void {
    this.#closed = true;
    this.#failure ??= failure;
    for (const resume of this.#senders.splice(0)) resume();
    this.#taker?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, void> {
    try {
      for (;;) {
        if (this.#items.length > 0) {
          const item = this.#items.shift() as Item; // the length says that there is one
          this.#senders.shift()?.();
          yield item;
        } else if (this.#closed) {
          if (this.#failure !== undefined) throw this.#failure.error;
          return;
        } else {
          await new Promise<void>((resolve) => {
            this.#taker = resolve;
          });
          this.#taker = undefined;
        }
      }
    } finally {
      this.close();
    }
  }
}
