import { messageOf } from '@/lib/contract/app-error';
import { isConflict, isNotFound } from '@/server/kube';
import type { Clock, Log } from '@/server/platform';
import { WorkQueue } from '@/server/platform';

const AT_ONCE = { firstMs: 0, longestMs: 0 };
const LATER = { firstMs: 10, longestMs: 60_000 };
/** So often in a row a lost race comes back at once. */
const RACES_AT_ONCE = 3;

/** What a pass answers: nothing, or after how many milliseconds to look again. */
export type RequeueAfterMs = number | undefined;

export interface KeyQueueSpec {
  readonly name: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Keys worked on at once; 1 when absent. */
  readonly workers?: number;
  readonly work: (key: string) => Promise<RequeueAfterMs>;
}

/**
 * Keys waiting to be worked on, and who works on them.
 *
 * 1. A key waits at most once, and is never worked on twice at a time; added meanwhile, it runs once more.
 * 2. Keys run in the order in which they came; delayed ones come when they are due, the earliest due counts.
 * 3. A failure comes back after a growing wait; a write that lost a race is no failure and comes back at once.
 * 4. The clock is held while a key waits its turn or is worked on, not while a delay runs.
 */
export class KeyQueue implements AsyncDisposable {
  readonly #spec: KeyQueueSpec;
  readonly #queue: WorkQueue<string>;
  readonly #workers: readonly Promise<void>[];

  constructor(spec: KeyQueueSpec) {
    this.#spec = spec;
    // One process works on all keys, so their waits need no spread.
    this.#queue = new WorkQueue({ clock: spec.clock, random: () => 0, isGathering: true });
    this.#workers = Array.from({ length: spec.workers ?? 1 }, () => this.#run());
  }

  /** Asks for a pass over the key, soon. */
  add(key: string): void {
    this.#queue.add(key);
  }

  /** Asks for a pass over the key after a delay. */
  addAfter(key: string, delayMs: number): void {
    this.#queue.add(key, { afterMs: delayMs });
  }

  /** Drains: passes under way end, nothing new starts. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#queue.close();
    await Promise.all(this.#workers);
  }

  async #run(): Promise<void> {
    for (let key = await this.#queue.take(); key !== undefined; key = await this.#queue.take()) {
      await this.#work(key);
      this.#queue.done(key);
    }
  }

  async #work(key: string): Promise<void> {
    try {
      const lookAgainMs = await this.#spec.work(key);
      this.#queue.forget(key);
      if (lookAgainMs !== undefined) this.addAfter(key, lookAgainMs);
    } catch (error) {
      // Somebody else changed or removed what this pass looked at; the next pass sees the new state.
      const isRace = isConflict(error) || isNotFound(error);
      if (!isRace) this.#spec.log.warn({ controller: this.#spec.name, key, error: messageOf(error) }, 'pass failed, trying again');
      this.#queue.retry(key, isRace && this.#queue.failures(key) < RACES_AT_ONCE ? AT_ONCE : LATER);
    }
  }
}
