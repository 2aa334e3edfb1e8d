import type { Clock, Release } from '../clock';
import { monotonicMsOf } from '../clock';
import type { Random } from '../random';
import { DeferredLanes } from './deferred-lanes';
import { DueHeap } from './due-heap';
import type { BackOffLimits } from './key-backoff';
import { KeyBackoff } from './key-backoff';
import { ReadyKeys } from './ready-keys';

/** Most urgent first: what a person waits for, what changed, what is merely looked at again. */
export const PRIORITIES = ['person', 'normal', 'resync'] as const;
export type Priority = (typeof PRIORITIES)[number];

export interface AddOptions {
  readonly priority?: Priority;
  /** Ready only after so many milliseconds; at once when absent. */
  readonly afterMs?: number;
}

export interface QueueDeps<Key> {
  readonly clock: Clock;
  readonly random: Random;
  /** A key is not handed out while it answers false; it is asked again every half second. */
  readonly mayHandOut?: (key: Key) => boolean;
  /** Keys of one lane may be handed out together or not at all. All are of the same lane when absent. */
  readonly laneOf?: (key: Key) => number;
  /** True where keys are handed out in a later turn of the event loop, so that a burst of one key is one pass, and sockets get their share. */
  readonly isGathering?: boolean;
}

interface Waiting {
  readonly priority: Priority;
  /** When the key is or was ready, by the clock that nobody can set: one that is set back must keep no key waiting. */
  readonly at: number;
  readonly state: 'delayed' | 'ready';
}

const ASK_AGAIN_MS = 500;

/**
 * A queue of keys.
 *
 * 1. A key waits at most once: adding it again keeps the higher priority and the earlier time.
 * 2. A key that was handed out is locked: it is not handed out again before `done`. What is added meanwhile waits.
 * 3. Ready keys come out by priority, and first in first out within one.
 * 4. `retry` adds a key after a wait that doubles with each failure, at the pace that the failure calls for; `forget` ends the row of failures.
 * 5. After `close` nothing is taken in or handed out.
 * 6. The clock is held while a key is locked, or waits for the turn it is handed out in. Keys that may not be handed out do not hold it.
 * 7. Ready keys that may not be handed out are deferred, and do not keep others from their turn. One key of each lane is asked about
 *    at each look, and with it the lane comes back.
 */
export class WorkQueue<Key> {
  readonly #clock: Clock;
  readonly #mayHandOut: (key: Key) => boolean;
  readonly #laneOf: (key: Key) => number;
  readonly #isGathering: boolean;
  readonly #backoff: KeyBackoff<Key>;
  readonly #waiting = new Map<Key, Waiting>();
  readonly #ready: Readonly<Record<Priority, ReadyKeys<Key>>> = {
    person: new ReadyKeys(),
    normal: new ReadyKeys(),
    resync: new ReadyKeys(),
  };
  readonly #deferred = new DeferredLanes<Key>();
  readonly #delayed = new DueHeap<{ readonly key: Key; readonly at: number }>();
  readonly #locked = new Map<Key, { readonly priority: Priority; readonly release: Release }>();
  readonly #takers: ((key: Key | undefined) => void)[] = [];
  #timer: { readonly at: number; readonly cancel: Release } | undefined;
  #askAgain: Release | undefined;
  /** Holds the clock until keys are handed out in a later turn. */
  #gathering: Release | undefined;
  #closed = false;

  constructor(deps: QueueDeps<Key>) {
    this.#clock = deps.clock;
    this.#mayHandOut = deps.mayHandOut ?? (() => true);
    this.#laneOf = deps.laneOf ?? (() => 0);
    this.#isGathering = deps.isGathering ?? false;
    this.#backoff = new KeyBackoff(deps.random);
  }

  add(key: Key, options: AddOptions = {}): void {
    if (this.#closed) return;
    const now = monotonicMsOf(this.#clock);
    const known = this.#waiting.get(key);
    const wanted = options.priority ?? 'normal';
    const priority = known === undefined ? wanted : higher(known.priority, wanted);
    const at = Math.min(known?.at ?? Number.POSITIVE_INFINITY, now + Math.max(0, options.afterMs ?? 0));
    if (at > now) this.#delay(key, { priority, at, state: 'delayed' });
    else this.#makeReady(key, { priority, at, state: 'ready' });
    this.#handOut();
  }

  /** Adds a key again after its back-off, and so many milliseconds at least, with the priority it was handed out with; answers the wait. */
  retry(key: Key, pace?: BackOffLimits, leastMs = 0): number {
    const afterMs = Math.max(this.#backoff.nextMs(key, pace), leastMs);
    this.add(key, { afterMs, priority: this.#locked.get(key)?.priority ?? 'normal' });
    return afterMs;
  }

  /** Adds a key that was handed out too early: it keeps its priority, and is ready after a while at the latest. */
  deferUntil(key: Key, afterMs: number): void {
    this.add(key, { afterMs, priority: this.#locked.get(key)?.priority ?? 'normal' });
  }

  /** True while a key is handed out for which a person waits. */
  isAsked(key: Key): boolean {
    return this.#locked.get(key)?.priority === 'person';
  }

  /** Ends the row of failures of a key. */
  forget(key: Key): void {
    this.#backoff.forget(key);
  }

  /** Failures of a key in a row. */
  failures(key: Key): number {
    return this.#backoff.failures(key);
  }

  /** The next key, locked for the caller; undefined once the queue is closed. */
  take(): Promise<Key | undefined> {
    if (this.#closed) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      this.#takers.push(resolve);
      this.#handOut();
    });
  }

  /** Unlocks a key that was taken. */
  done(key: Key): void {
    this.#locked.get(key)?.release();
    this.#locked.delete(key);
    const waiting = this.#waiting.get(key);
    if (waiting?.state === 'ready') this.#file(key, waiting.priority);
    this.#handOut();
  }

  close(): void {
    this.#closed = true;
    this.#timer?.cancel();
    this.#askAgain?.();
    this.#delayed.clear();
    this.#waiting.clear();
    this.#deferred.clear();
    for (const priority of PRIORITIES) this.#ready[priority].clear();
    for (const taker of this.#takers.splice(0)) taker(undefined);
  }

  /** Keys ready and not handed out, deferred ones not counted. */
  get depth(): number {
    let count = 0;
    for (const priority of PRIORITIES) count += this.#ready[priority].size;
    for (const key of this.#locked.keys()) if (this.#waiting.get(key)?.state === 'ready') count++;
    return count;
  }

  /** Keys ready that may not be handed out, as far as they were asked about. */
  get deferred(): number {
    return this.#deferred.size;
  }

  /** Keys that wait for their time. */
  get delayed(): number {
    return this.#waiting.size - this.depth - this.deferred;
  }

  /** Keys handed out. */
  get active(): number {
    return this.#locked.size;
  }

  /** How long the longest ready key has been waiting; 0 when none is. */
  get oldestMs(): number {
    return this.oldest?.waitedMs ?? 0;
  }

  /** The ready key that has been waiting longest, among those that are not deferred. */
  get oldest(): { readonly key: Key; readonly waitedMs: number } | undefined {
    let oldest: { readonly key: Key; readonly at: number } | undefined;
    for (const [key, { state, at }] of this.#waiting) {
      if (state === 'ready' && at < (oldest?.at ?? Number.POSITIVE_INFINITY) && !this.#deferred.has(key)) oldest = { key, at };
    }
    return oldest && { key: oldest.key, waitedMs: Math.max(0, monotonicMsOf(this.#clock) - oldest.at) };
  }

  #delay(key: Key, waiting: Waiting): void {
    const before = this.#waiting.get(key)?.at;
    this.#waiting.set(key, waiting);
    if (before === waiting.at) return;
    this.#delayed.push(waiting.at, { key, at: waiting.at });
    this.#arm();
  }

  #makeReady(key: Key, waiting: Waiting): void {
    const known = this.#waiting.get(key);
    this.#waiting.set(key, waiting);
    if (this.#locked.has(key)) return; // `done` files it
    // Which lane a key is of may have changed with it, so it is asked about anew.
    this.#deferred.delete(key);
    if (known?.state === 'ready' && known.priority !== waiting.priority) this.#ready[known.priority].delete(key);
    this.#file(key, waiting.priority);
  }

  /** A key that may not be handed out is deferred at once, also while nobody takes keys. */
  #file(key: Key, priority: Priority): void {
    if (this.#mayHandOut(key)) this.#ready[priority].add(key);
    else this.#setAside(key, priority);
  }

  #setAside(key: Key, priority: Priority): void {
    this.#ready[priority].delete(key);
    this.#deferred.add(key, this.#laneOf(key));
    this.#askAgainLater();
  }

  #arm(): void {
    const at = this.#delayed.nextAt();
    if (at === undefined || (this.#timer !== undefined && this.#timer.at <= at)) return;
    this.#timer?.cancel();
    this.#timer = { at, cancel: this.#clock.schedule(at - monotonicMsOf(this.#clock), () => this.#onDue()) };
  }

  #onDue(): void {
    this.#timer = undefined;
    const now = monotonicMsOf(this.#clock);
    for (let due = this.#delayed.popDue(now); due !== undefined; due = this.#delayed.popDue(now)) {
      const waiting = this.#waiting.get(due.key);
      // An entry whose time was moved forward since, or that is gone, has left this one behind.
      if (waiting?.state === 'delayed' && waiting.at === due.at) this.#makeReady(due.key, { ...waiting, state: 'ready' });
    }
    this.#arm();
    this.#handOut();
  }

  #handOut(): void {
    if (!this.#isGathering) {
      this.#handOutNow();
      return;
    }
    if (this.#gathering !== undefined || this.#takers.length === 0 || this.#first() === undefined) return;
    this.#gathering = this.#clock.hold();
    setImmediate(() => {
      this.#handOutNow();
      this.#gathering?.();
      this.#gathering = undefined;
      this.#handOut();
    });
  }

  #handOutNow(): void {
    while (this.#takers.length > 0) {
      const next = this.#first();
      if (next === undefined) return;
      const { key, priority } = next;
      if (!this.#mayHandOut(key)) {
        this.#setAside(key, priority);
        continue;
      }
      this.#ready[priority].delete(key);
      this.#waiting.delete(key);
      this.#locked.set(key, { priority, release: this.#clock.hold() });
      this.#takers.shift()?.(key);
    }
  }

  #first(): { readonly key: Key; readonly priority: Priority } | undefined {
    for (const priority of PRIORITIES) {
      const first = this.#ready[priority].first();
      if (first !== undefined) return { ...first, priority };
    }
    return undefined;
  }

  #askAgainLater(): void {
    this.#askAgain ??= this.#clock.schedule(ASK_AGAIN_MS, () => {
      this.#askAgain = undefined;
      for (const key of this.#deferred.takeLanes(this.#mayHandOut)) {
        const waiting = this.#waiting.get(key);
        if (waiting !== undefined) this.#ready[waiting.priority].add(key);
      }
      if (this.#deferred.size > 0) this.#askAgainLater();
      this.#handOut();
    });
  }
}

function higher(left: Priority, right: Priority): Priority {
  return PRIORITIES.indexOf(left) <= PRIORITIES.indexOf(right) ? left : right;
}
