import type { Instant } from '@/lib/std/instant';
import { toInstant } from '@/lib/std/instant';

/** Ends a timer, a subscription or a hold; calling it twice is harmless. */
export type Release = () => void;

/** Time as the engine sees it. Nothing else reads the wall clock or sets a timer. */
export interface Clock {
  now(): Instant;
  /** Runs the task once after a delay in milliseconds; the release cancels it. */
  schedule(delayMs: number, task: () => void): Release;
  /** Resolves after a delay in milliseconds; rejects with the signal's reason when it aborts. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>;
  /**
   * Says that work is under way that must end before time may be called settled. Whoever hands work
   * from one turn of the event loop to a later one holds the clock for as long. Free on a real clock.
   */
  hold(): Release;
  /** Milliseconds by a clock that nobody can set; it may stand still while the machine sleeps. Absent where `now` is never set anew. */
  steadyMs?(): number;
}

/** Time that has passed is told by the clock that nobody can set, or by the only one there is. What is to be written down is an instant, of `now`. */
export function monotonicMsOf(clock: Pick<Clock, 'now' | 'steadyMs'>): number {
  return clock.steadyMs?.() ?? clock.now();
}

/** The real clock. */
export const realClock: Clock = {
  now: () => toInstant(Date.now()),
  schedule(delayMs, task) {
    if (delayMs <= 0) {
      // The next turn of the event loop. Timers that are due run one after the other in one turn, those set meanwhile included.
      return nextTurn(task);
    }
    const timer = setTimeout(() => contain(task), Math.min(delayMs, MAX_TIMEOUT_MS));
    return () => clearTimeout(timer);
  },
  sleep(delayMs, signal) {
    return sleepOn(this, delayMs, signal);
  },
  hold: () => noop,
  steadyMs: () => performance.now(),
};

/** Milliseconds that work handed to a later turn may take of one. What is over goes to the turn after, the oldest first. */
const TURN_MS = 12;

interface Waiting {
  task: (() => void) | undefined;
}

const waiting: Waiting[] = [];
let turnSince: number | undefined;

function nextTurn(task: () => void): Release {
  const own: Waiting = { task };
  waiting.push(own);
  setImmediate(takeOldest);
  return () => {
    own.task = undefined;
  };
}

/** Runs once for each that waits. Many pieces of many milliseconds in one turn would be one long turn, so some of them wait on. */
function takeOldest(): void {
  const now = performance.now();
  if (turnSince === undefined) {
    turnSince = now;
    setImmediate(() => {
      turnSince = undefined; // before anything else of the next turn
    });
  }
  if (now - turnSince >= TURN_MS) setImmediate(takeOldest);
  else contain(waiting.shift()?.task);
}

/** A task that fails is a failure that nobody awaits: it is told as those are, and ends neither the process nor what else is due. */
function contain(task: (() => void) | undefined): void {
  try {
    task?.();
  } catch (error) {
    void Promise.reject(error);
  }
}

// setTimeout overflows to "at once" above this; no timer of ours is that long.
const MAX_TIMEOUT_MS = 2_147_483_647;
const noop: Release = () => undefined;

/** A promise over `schedule`, shared by both clocks. */
export function sleepOn(clock: Pick<Clock, 'schedule'>, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const onAbort = () => {
      cancel();
      reject(signal?.reason);
    };
    const cancel = clock.schedule(delayMs, () => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    });
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
