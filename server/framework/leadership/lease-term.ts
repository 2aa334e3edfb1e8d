import type { Instant } from '@/lib/std/instant';
import { toInstant } from '@/lib/std/instant';
import { isTransportFailure } from '@/server/kube';
import type { Clock } from '@/server/platform';
import { monotonicMsOf } from '@/server/platform';
import type { WriteGuard } from './fence';
import { NotLeadingError } from './fence';

/** One look and the writes that follow from it. */
export interface LeaseRound {
  readonly number: number;
  /** Read before the first request of the round was sent. */
  readonly start: Instant;
  /** The same moment by the clock that nobody can set. */
  readonly steadyStart: number;
}

type Hold =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'held';
      readonly since: Instant;
      readonly until: Instant;
      /** By the steady clock. */
      readonly steadyFrom: number;
      readonly steadyUntil: number;
      readonly round: number;
    };

/**
 * How long this replica may act under one Lease.
 *
 * 1. It may act until a margin before the Lease could lapse, counted from the start of the round whose renewal succeeded: whoever
 *    else may take it counts from a later moment. Clocks need agree on how fast time passes, not on what time it is.
 * 2. Every answer of `mayAct` reads the clock, so a process that was paused is fenced before any timer fires. `expire`, driven by a timer
 *    set when the round began, makes the end known and serves where the clock stands still.
 * 3. A clock that went back proves nothing: the term ends until the next renewal. One that was set back while the process was paused
 *    may seem to have gone on; so the time is taken by a clock that nobody can set as well, and whichever says more counts.
 * 4. Its end aborts the writes under way.
 */
export class LeaseTerm {
  readonly #clock: Clock;
  readonly #allowedMs: number;
  readonly #onEnd: () => void;
  readonly #flights = new Map<AbortController, Promise<unknown>>();
  readonly #waiting: (() => void)[] = [];
  #hold: Hold = { kind: 'none' };
  #seen: Instant;
  #doubtUntil = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, allowedMs: number, onEnd: () => void) {
    this.#clock = clock;
    this.#allowedMs = allowedMs;
    this.#onEnd = onEnd;
    this.#seen = clock.now();
  }

  /** The Lease was taken or renewed in that round; `waitMs` keeps a new term from acting at once. */
  renewed({ number, start, steadyStart }: LeaseRound, waitMs = 0): void {
    const now = this.#clock.now();
    if (now < start) return; // the clock went back meanwhile: when the round began is unknown
    const before = this.#hold;
    const { since, steadyFrom } = before.kind === 'held' ? before : { since: now, steadyFrom: monotonicMsOf(this.#clock) + waitMs };
    this.#seen = now;
    const until = toInstant(start + this.#allowedMs);
    this.#hold = { kind: 'held', since, until, steadyFrom, steadyUntil: steadyStart + this.#allowedMs, round: number };
  }

  /** The time that a renewal of that round allows has passed. */
  expire({ number }: LeaseRound): void {
    if (this.#hold.kind === 'held' && this.#hold.round <= number) this.end();
  }

  mayAct(): boolean {
    if (this.#hold.kind === 'none') return false;
    const now = this.#clock.now();
    const steady = monotonicMsOf(this.#clock);
    if (now < this.#seen || now >= this.#hold.until || steady >= this.#hold.steadyUntil) {
      this.end();
      return false;
    }
    this.#seen = now;
    return steady >= this.#hold.steadyFrom;
  }

  /** Since when it is held without a break; undefined when it is not. */
  since(): Instant | undefined {
    return this.mayAct() && this.#hold.kind === 'held' ? this.#hold.since : undefined;
  }

  end(): void {
    if (this.#hold.kind === 'none') return;
    this.#hold = { kind: 'none' };
    for (const flight of this.#flights.keys()) flight.abort(new NotLeadingError());
    for (const ended of this.#waiting.splice(0)) ended();
    this.#onEnd();
  }

  /** Stops new writes and lets those under way end; true when every one of them is known to have ended. */
  async close(): Promise<boolean> {
    if (this.#hold.kind === 'held') {
      this.#hold = { ...this.#hold, steadyFrom: Number.POSITIVE_INFINITY };
      // What takes too long is ended by the expiry.
      const ended = new Promise<void>((resolve) => void this.#waiting.push(resolve));
      await Promise.race([Promise.allSettled(this.#flights.values()), ended]);
      this.end();
    }
    return this.#flights.size === 0 && monotonicMsOf(this.#clock) >= this.#doubtUntil;
  }

  /** Carries a write under this term. */
  readonly carry: WriteGuard = async (flight, send) => {
    if (!this.mayAct()) throw new NotLeadingError();
    const write = send();
    this.#flights.set(flight, write);
    try {
      return await write;
    } catch (error) {
      // Without an answer nobody knows whether the write will still arrive: the Lease must lapse, not be handed over.
      if (isTransportFailure(error) || flight.signal.aborted) this.#doubtUntil = monotonicMsOf(this.#clock) + this.#allowedMs;
      throw error;
    } finally {
      this.#flights.delete(flight);
    }
  };
}
