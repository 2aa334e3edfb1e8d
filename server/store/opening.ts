import { messageOf } from '@/lib/contract/app-error';
import { backOffMs } from '@/lib/std/back-off';
import type { Clock, Log, Release } from '@/server/platform';
import type { Store } from './open';

const PACE = { firstMs: 1000, longestMs: 30_000 };

/** A store that is opened in the background. */
export interface StoreOpening {
  /** The store. Waits for the first try to open it; from then on, until it is open, rejects with why the last try failed. */
  now(): Promise<Store>;
  /** The store once it is open, however many tries that takes; rejects when all ends before. */
  readonly whenOpen: Promise<Store>;
}

export interface OpeningDeps {
  readonly clock: Clock;
  readonly log: Log;
}

/** Opens a store, and tries again with growing pauses while it does not open: a database often starts after the server that needs it. */
export class OpeningStore implements StoreOpening, AsyncDisposable {
  readonly whenOpen: Promise<Store>;
  readonly #open: () => Promise<Store>;
  readonly #deps: OpeningDeps;
  #opened!: { readonly resolve: (store: Store) => void; readonly reject: (error: unknown) => void };
  #latest: Promise<Store>;
  #trying: Promise<void> | undefined;
  #failures = 0;
  #cancel: Release = () => undefined;
  #isOver = false;

  constructor(open: () => Promise<Store>, deps: OpeningDeps) {
    this.#open = open;
    this.#deps = deps;
    this.whenOpen = new Promise<Store>((resolve, reject) => {
      this.#opened = { resolve, reject };
    });
    this.whenOpen.catch(() => undefined); // whoever waits hears of it
    this.#latest = this.#try();
  }

  now(): Promise<Store> {
    return this.#latest;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    this.#cancel();
    await this.#trying;
    this.#opened.reject(new Error('the server ended before its store was open'));
    const store = await this.#latest.catch(() => undefined); // one that never opened needs no end
    await store?.[Symbol.asyncDispose]();
  }

  #try(): Promise<Store> {
    const attempt = this.#open();
    this.#trying = attempt.then(
      (store) => {
        this.#latest = attempt;
        this.#opened.resolve(store);
      },
      (error: unknown) => this.#failed(attempt, error),
    );
    return attempt;
  }

  #failed(attempt: Promise<Store>, error: unknown): void {
    const { clock, log } = this.#deps;
    this.#latest = attempt;
    if (this.#isOver) return;
    const nextTryMs = backOffMs(PACE, this.#failures++);
    log.error({ error: messageOf(error), nextTryMs }, 'the store did not open');
    this.#cancel = clock.schedule(nextTryMs, () => void this.#try());
  }
}

/** A key of a store that is being opened, asked for once; rejects with why while it cannot be read. */
export function memoizedKey(opening: StoreOpening, purpose: string): () => Promise<string> {
  let known: string | undefined;
  return async () => {
    known ??= await (await opening.now()).keys.keyFor(purpose);
    return known;
  };
}
