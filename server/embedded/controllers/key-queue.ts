import { messageOf } from '@/lib/contract/app-error';
import { backOffMs } from '@/lib/std/back-off';
import { isConflict, isNotFound } from '@/server/kube';
import type { Clock, Log, Release } from '@/server/platform';
import { steadyMsOf } from '@/server/platform';

const RETRY = { firstMs: 10, longestMs: 60_000 };

/** What a pass answers: nothing, or after how many milliseconds to look again. */
export type LookAgain = number | undefined;

export interface KeyQueueSpec {
  readonly name: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Keys worked on at once; 1 when absent. */
  readonly workers?: number;
  readonly work: (key: string) => Promise<LookAgain>;
}

/**
 * Keys waiting to be worked on.
 *
 * 1. A key waits at most once, and is never worked on twice at a time; added meanwhile, it runs once more.
 * 2. Keys run in the order in which they came; delayed ones come when they are due, the earliest due counts.
 * 3. A failure comes back after a growing wait; a write that lost a race is no failure and comes back at once.
 * 4. The clock is held while a key waits its turn or is worked on, not while a delay runs.
 */
export class KeyQueue implements AsyncDisposable {
  readonly #spec: KeyQueueSpec;
  readonly #ready = new Set<string>();
  readonly #active = new Set<string>();
  readonly #again = new Set<string>();
  readonly #delayed = new Map<string, { readonly due: number; readonly cancel: Release }>();
  readonly #failures = new Map<string, number>();
  #running = 0;
  #stopped = false;
  #drained: (() => void) | undefined;

  constructor(spec: KeyQueueSpec) {
    this.#spec = spec;
  }

  /** Asks for a pass over the key, soon. */
  add(key: string): void {
    if (this.#stopped) return;
    if (this.#active.has(key)) {
      this.#again.add(key);
      return;
    }
    this.#ready.add(key);
    if (this.#running < (this.#spec.workers ?? 1)) this.#start();
  }

  /** Asks for a pass over the key after a delay. */
  addAfter(key: string, delayMs: number): void {
    if (this.#stopped) return;
    const due = steadyMsOf(this.#spec.clock) + delayMs;
    const waiting = this.#delayed.get(key);
    if (waiting && waiting.due <= due) return;
    waiting?.cancel();
    const cancel = this.#spec.clock.schedule(delayMs, () => {
      this.#delayed.delete(key);
      this.add(key);
    });
    this.#delayed.set(key, { due, cancel });
  }

  /** Drains: passes under way end, nothing new starts. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped = true;
    this.#ready.clear();
    this.#again.clear();
    for (const { cancel } of this.#delayed.values()) cancel();
    this.#delayed.clear();
    if (this.#running === 0) return;
    await new Promise<void>((resolve) => {
      this.#drained = resolve;
    });
  }

  #start(): void {
    const release = this.#spec.clock.hold();
    this.#running++;
    // Cannot float: a pass that fails is caught where it is worked on, and disposing waits for the last one.
    void this.#run().finally(() => {
      this.#running--;
      release();
      if (this.#running === 0) this.#drained?.();
    });
  }

  // One key per turn of the event loop: sockets get their share, and changes that come in a burst collapse into one pass.
  async #run(): Promise<void> {
    for (;;) {
      await new Promise<void>((resolve) => setImmediate(resolve));
      const [key] = this.#ready;
      if (key === undefined) return;
      this.#ready.delete(key);
      this.#active.add(key);
      await this.#work(key);
      this.#active.delete(key);
      if (this.#again.delete(key) && !this.#stopped) this.#ready.add(key);
    }
  }

  async #work(key: string): Promise<void> {
    try {
      const lookAgainMs = await this.#spec.work(key);
      this.#failures.delete(key);
      if (lookAgainMs !== undefined) this.addAfter(key, lookAgainMs);
    } catch (error) {
      if (isConflict(error) || isNotFound(error)) {
        // Somebody else changed or removed what this pass looked at; the next pass sees the new state.
        this.#retry(key, 'lost a race');
      } else {
        this.#spec.log.warn({ controller: this.#spec.name, key, error: messageOf(error) }, 'pass failed, trying again');
        this.#retry(key, 'failed');
      }
    }
  }

  #retry(key: string, why: 'lost a race' | 'failed'): void {
    const failures = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.set(key, failures);
    if (why === 'lost a race' && failures <= 3) this.#again.add(key);
    else this.addAfter(key, backOffMs(RETRY, failures - 1));
  }
}
