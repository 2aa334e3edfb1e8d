/** Who hears of something. One that throws keeps nobody else from hearing it. */
export class Listeners<Message> {
  readonly #handlers = new Set<(message: Message) => void>();
  readonly #onError: (error: unknown) => void;

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  /** Tells a handler from now on, and of `first` at once; answers what ends that. */
  add(handler: (message: Message) => void, first: Iterable<Message> = []): () => void {
    const own = (message: Message) => handler(message); // the same function twice is two subscriptions
    this.#handlers.add(own);
    for (const message of first) this.#notifyOne(own, message);
    return () => void this.#handlers.delete(own);
  }

  notify(message: Message): void {
    for (const handler of this.#handlers) this.#notifyOne(handler, message);
  }

  #notifyOne(handler: (message: Message) => void, message: Message): void {
    try {
      handler(message);
    } catch (error) {
      this.#onError(error);
    }
  }
}
