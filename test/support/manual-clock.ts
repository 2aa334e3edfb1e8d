import type { Instant } from '@/lib/std/instant';
import { toInstant, toIso } from '@/lib/std/instant';
import type { Clock, Release } from '@/server/platform';
import { sleepOn } from '@/server/platform/clock';

interface Timer {
  readonly due: number;
  readonly order: number;
  readonly task: () => void;
}

const QUIET_TURNS = 3;
const MAX_TURNS = 2_000_000;
const MAX_TIMERS = 100_000;

/**
 * A clock that only tests move.
 *
 * 1. Time never moves by itself; `advance` moves it from one due timer to the next.
 * 2. Timers due at one instant run in the order they were set.
 * 3. `settle` returns when nothing is due, nobody holds the clock and three turns of the event loop brought nothing new.
 * 4. Two runs that set the same timers see the same order.
 * 5. `leap` sets the time anew, as a person or a time server does: timers run when they would have, and `steadyMs` knows nothing of it.
 * 6. One `advance` runs at most 100,000 timers; what sets timers faster than time passes ends in an error instead of never.
 */
export class ManualClock implements Clock {
  #now: number;
  #leptMs = 0;
  #order = 0;
  #held = 0;
  #changes = 0;
  #ran = 0;
  readonly #timers = new Set<Timer>();
  /** When the next timer is due; undefined where it must be looked up, after one went. */
  #soonest: number | undefined;

  constructor(start: Instant = toInstant(Date.UTC(2026, 0, 1, 9, 0, 0))) {
    this.#now = start;
  }

  now(): Instant {
    return toInstant(this.#now + this.#leptMs);
  }

  /** There from the first leap on: until then `now` is never set anew. */
  steadyMs?: () => number;

  /** Sets what time it is, so many milliseconds on or back, without any time passing. */
  leap(ms: number): void {
    this.#leptMs += ms;
    this.steadyMs = () => this.#now;
  }

  /** How many timers wait. */
  waiting(): number {
    return this.#timers.size;
  }

  schedule(delayMs: number, task: () => void): Release {
    const timer: Timer = { due: this.#now + Math.max(0, delayMs), order: this.#order++, task };
    this.#timers.add(timer);
    if (this.#soonest !== undefined) this.#soonest = Math.min(this.#soonest, timer.due);
    this.#changes++;
    return () => void this.#drop(timer);
  }

  sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    return sleepOn(this, delayMs, signal);
  }

  hold(): Release {
    this.#held++;
    this.#changes++;
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.#held--;
      this.#changes++;
    };
  }

  /** Runs everything that can run at this instant. */
  async settle(): Promise<void> {
    this.#ran = 0;
    await this.#settle();
  }

  async #settle(): Promise<void> {
    let quiet = 0;
    for (let turn = 0; quiet < QUIET_TURNS; turn++) {
      if (turn > MAX_TURNS) throw new Error(`the clock did not settle: ${this.#held} holds, ${this.#timers.size} timers`);
      const before = this.#changes;
      this.#runDue();
      await new Promise<void>((resolve) => setImmediate(resolve));
      quiet = this.#held === 0 && this.#changes === before && this.#nextDue() > this.#now ? quiet + 1 : 0;
    }
  }

  /** Moves time forward, settling at every instant at which a timer is due. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    this.#ran = 0;
    await this.#settle();
    for (let next = this.#nextDue(); next <= end; next = this.#nextDue()) {
      this.#now = Math.max(this.#now, next);
      await this.#settle();
    }
    this.#now = end;
    await this.#settle();
  }

  #drop(timer: Timer): boolean {
    if (timer.due === this.#soonest) this.#soonest = undefined;
    return this.#timers.delete(timer);
  }

  #runDue(): void {
    if (this.#nextDue() > this.#now) return;
    const due = [...this.#timers].filter((timer) => timer.due <= this.#now).sort((a, b) => a.due - b.due || a.order - b.order);
    for (const timer of due) {
      if (!this.#drop(timer)) continue; // cancelled by an earlier one of this turn
      this.#changes++;
      if (++this.#ran > MAX_TIMERS)
        throw new Error(`the clock ran 100,000 timers and is at ${toIso(this.now())}: ${this.#timers.size} are left`);
      timer.task();
    }
  }

  #nextDue(): number {
    if (this.#soonest !== undefined) return this.#soonest;
    let next = Number.POSITIVE_INFINITY;
    for (const timer of this.#timers) next = Math.min(next, timer.due);
    this.#soonest = next;
    return next;
  }
}
