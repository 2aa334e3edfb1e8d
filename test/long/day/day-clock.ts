import { DatabaseThread } from '@/server/store/database-thread';
import { ManualClock } from '../../support/manual-clock';

const STEP_MS = 2000;
/** While somebody waits for an answer, so much time passes in so much of the real one: a limit of three seconds is still most of a real second. */
const WAITED_STEP_MS = 100;
const WAITED_REAL_MS = 25;
const QUIET_TURNS = 3;
const MAX_REAL_MS = 120_000;

/** Queries on their way to the thread of the embedded store and back: it answers each message with one. */
function countQueries(): { readonly underWay: () => number; readonly release: () => void } {
  const { send, attach } = DatabaseThread.prototype;
  let underWay = 0;
  DatabaseThread.prototype.send = function (bytes) {
    underWay++;
    send.call(this, bytes);
  };
  DatabaseThread.prototype.attach = function (hear, end) {
    underWay = 0;
    attach.call(
      this,
      (bytes) => {
        underWay--;
        hear(bytes);
      },
      end,
    );
  };
  const release = () => void Object.assign(DatabaseThread.prototype, { send, attach });
  return { underWay: () => underWay, release };
}

/**
 * A day on a clock that only this moves: as quickly as the work allows, and never further than two seconds beyond what the process has asked of its disk and its
 * store, so that no limit is over because the machine is slow.
 */
export class DayClock implements Disposable {
  readonly clock = new ManualClock();
  readonly #queries = countQueries();
  readonly #startedAt = this.clock.now();

  /** Milliseconds of the day that are over. */
  passedMs(): number {
    return this.clock.now() - this.#startedAt;
  }

  /** Lets time pass. */
  async pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= STEP_MS) {
      await this.#quiet();
      await this.clock.advance(Math.min(left, STEP_MS));
    }
    await this.#quiet();
  }

  /** Awaits work that this process does for itself, and lets time pass slowly where it takes some. */
  async during<T>(work: Promise<T>, what = 'an answer'): Promise<T> {
    let isDone = false;
    const finished = work.finally(() => {
      isDone = true;
    });
    finished.catch(() => undefined); // awaited below
    const began = performance.now();
    while (!isDone) {
      const until = performance.now() + WAITED_REAL_MS;
      while (!isDone && performance.now() < until) await this.clock.settle();
      if (!isDone) await this.clock.advance(WAITED_STEP_MS);
      if (performance.now() - began > MAX_REAL_MS) throw new Error(`waited ${MAX_REAL_MS / 1000} s in vain for ${what}`);
    }
    return finished;
  }

  [Symbol.dispose](): void {
    this.#queries.release();
  }

  async #quiet(): Promise<void> {
    for (let turns = 0; turns < QUIET_TURNS; turns = this.#isBusy() ? 0 : turns + 1)
      await new Promise<void>((resolve) => setImmediate(resolve));
  }

  #isBusy(): boolean {
    return this.#queries.underWay() > 0 || process.getActiveResourcesInfo().some((kind) => kind.startsWith('FSReq'));
  }
}
