import type { LogEnd, LogStreamEvent } from '@/lib/contract/log-stream';
import type { Clock, Release } from '@/server/platform';
import { takeMerged } from './merge';
import type { ReaderSet } from './reader-set';

const HEARTBEAT_EVERY_MS = 15_000;
/** Lines that come one by one are told together. */
const REST_MS = 40;

/**
 * The logs of some containers as one stream of events, and undefined where it is time for a sign of life.
 *
 * 1. The next event is made when it is asked for: who reads slowly is waited for, and nothing is gathered for them beyond what each container
 *    may have waiting.
 * 2. It ends when everything was read, when the session or a right is gone, and without a word when the client is. What waited by then is told no more.
 */
export class LogStream {
  readonly #readers: ReaderSet;
  readonly #clock: Clock;
  readonly #unlisten: Release;
  #cancelBeat: Release = () => undefined;
  #wake: () => void = () => undefined;
  #end: LogEnd | undefined;
  #beat = false;
  #isReleased = false;

  constructor(readers: ReaderSet, clock: Clock) {
    this.#readers = readers;
    this.#clock = clock;
    this.#unlisten = readers.onNews(() => this.#wake());
    this.#beatLater();
  }

  /** Ends it because nobody may read it any more. */
  withdraw(sentence: string): void {
    this.#end ??= { outcome: 'withdrawn', sentence };
    this.release();
  }

  /** Ends every connection under it. */
  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#unlisten();
    this.#cancelBeat();
    this.#readers.release();
    this.#wake();
  }

  async *events(): AsyncGenerator<LogStreamEvent | undefined, void, void> {
    try {
      yield* this.#events();
    } finally {
      this.release();
    }
  }

  async *#events(): AsyncGenerator<LogStreamEvent | undefined, void, void> {
    while (!this.#isReleased) {
      const sources = this.#readers.takeChanged();
      if (sources !== undefined) yield { event: 'sources', data: sources };
      if (!this.#isReleased) yield* this.#lines();
      if (this.#end !== undefined) break;
      if (!this.#beat) continue;
      this.#beat = false;
      yield undefined;
    }
    if (this.#end !== undefined) yield { event: 'end', data: this.#end };
  }

  /** The lines that can be told now; where there are none, waits until that may be otherwise. */
  async *#lines(): AsyncGenerator<LogStreamEvent, void, void> {
    const isOver = this.#readers.isOver(); // asked before: what comes in between is still told
    const { lines, againInMs } = takeMerged(this.#readers.feeds(), this.#clock.now());
    if (lines.length > 0) {
      yield { event: 'lines', data: { lines } };
      if (againInMs !== 0 && !this.#isReleased) await this.#rest();
    } else if (isOver && againInMs === undefined) this.#end ??= { outcome: 'over', sentence: this.#readers.formatOver() };
    else await this.#news(againInMs);
  }

  #rest(): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#clock.schedule(REST_MS, resolve);
      this.#wake = () => {
        if (!this.#isReleased) return;
        cancel();
        resolve();
      };
    });
  }

  #news(withinMs: number | undefined): Promise<void> {
    return new Promise((resolve) => {
      const cancel = withinMs === undefined ? undefined : this.#clock.schedule(withinMs, () => this.#wake());
      this.#wake = () => {
        this.#wake = () => undefined;
        cancel?.();
        resolve();
      };
      if (this.#isReleased || this.#beat || this.#readers.hasNews()) this.#wake();
    });
  }

  #beatLater(): void {
    this.#cancelBeat = this.#clock.schedule(HEARTBEAT_EVERY_MS, () => {
      this.#beat = true;
      this.#wake();
      this.#beatLater();
    });
  }
}
