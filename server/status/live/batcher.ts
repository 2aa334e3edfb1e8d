import type { Clock, Release } from '@/server/platform';
import { monotonicMsOf } from '@/server/platform';

/** Milliseconds of work in one piece; between pieces everybody else has their turn. */
const PIECE_MS = 8;
/** Of the time no more than one part in so many goes into this work while changes pour in. */
const SHARE = 3;
const LONGEST_WAIT_MS = 100;

/**
 * Gathers what is to be done and does each thing once. After quiet the first is done in the next turn of the event loop; the longer the work
 * of a round took, the longer the next one is gathered for.
 */
export class Batcher<Item> {
  readonly #clock: Clock;
  readonly #work: (item: Item) => void;
  readonly #items = new Set<Item>();
  #next: Release | undefined;
  #notBefore = 0;
  #spentMs = 0;

  constructor(clock: Clock, work: (item: Item) => void) {
    this.#clock = clock;
    this.#work = work;
  }

  add(item: Item): void {
    this.#items.add(item);
    this.#next ??= this.#clock.schedule(Math.max(0, this.#notBefore - this.#steady()), () => this.#round());
  }

  delete(item: Item): void {
    this.#items.delete(item);
  }

  stop(): void {
    this.#next?.();
    this.#items.clear();
  }

  /** Most rounds take a fraction of a millisecond: counted in whole ones, every other would be waited for. */
  #steady(): number {
    return monotonicMsOf(this.#clock);
  }

  /** One that fails does so in a turn of its own, where the clock tells of it: the others are done. */
  #do(item: Item): void {
    try {
      this.#work(item);
    } catch (error) {
      this.#clock.schedule(0, () => {
        throw error;
      });
    }
  }

  #round(): void {
    const startedAt = this.#steady();
    for (const item of this.#items) {
      this.#items.delete(item);
      this.#do(item);
      if (this.#items.size > 0 && this.#steady() - startedAt >= PIECE_MS) break;
    }
    const endedAt = this.#steady();
    this.#spentMs += endedAt - startedAt;
    if (this.#items.size > 0) {
      this.#next = this.#clock.schedule(0, () => this.#round());
      return;
    }
    this.#next = undefined;
    this.#notBefore = endedAt + Math.min(this.#spentMs * (SHARE - 1), LONGEST_WAIT_MS);
    this.#spentMs = 0;
  }
}
