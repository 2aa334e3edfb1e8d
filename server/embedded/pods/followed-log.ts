import type { KubeObject } from '@/lib/kube/object';
import type { Instant } from '@/lib/std/instant';
import type { Clock, Release } from '@/server/platform';
import type { Change, Store } from '../storage/store';
import { keyOf } from '../storage/store';
import type { ContainerLog, LogLine } from './logs';
import { openLog } from './logs';

/** What a followed log stands on. */
export interface LogContext {
  readonly store: Store;
  readonly clock: Clock;
  /** Ends each stream that is open. */
  readonly watches: Set<() => void>;
}

/** The part of a log that is followed. */
export interface Followed {
  readonly container: string;
  readonly log: ContainerLog;
  /** Number of the first line. */
  readonly from: number;
  readonly text: { readonly isFull: boolean; write(line: LogLine): string };
}

type Answer = IteratorResult<string, undefined>;

const PODS = 'pods';
const MAX_LINES_AT_ONCE = 1000;
const OVER: Answer = { done: true, value: undefined };

/**
 * The log of a container while it runs.
 *
 * 1. It ends with the run, with the pod and with the server; what was written until then is told before.
 * 2. Lines are made when they are read: a reader who does not keep up costs nothing, and gets them later.
 * 3. `return` ends it at once, also while somebody waits for a line. Nothing is left behind then.
 */
export class FollowedLog implements AsyncIterableIterator<string> {
  readonly #clock: Clock;
  readonly #container: string;
  readonly #text: Followed['text'];
  readonly #releases: Release[] = [];
  #log: ContainerLog;
  #number: number;
  #endedAt: Instant | undefined;
  #dropped = false;
  #waiting: ((answer: Answer) => void) | undefined;
  #timer: Release | undefined;

  constructor({ store, clock, watches }: LogContext, pod: KubeObject, { container, log, from, text }: Followed) {
    this.#clock = clock;
    this.#container = container;
    this.#log = log;
    this.#number = from;
    this.#text = text;
    const end = () => this.#end();
    watches.add(end);
    this.#releases.push(() => void watches.delete(end));
    const key = keyOf(pod);
    this.#releases.push(store.subscribe((change) => change.storage === PODS && change.key === key && this.#onChange(change)));
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** The lines since the last call, or the next one; done when the log is over. */
  next(): Promise<Answer> {
    const answer = this.#answer();
    if (answer !== undefined) return Promise.resolve(answer);
    return new Promise((resolve) => {
      this.#waiting = resolve;
      this.#sleep();
    });
  }

  /** Ends it: nobody listens any more. */
  return(): Promise<Answer> {
    this.#dropped = true;
    this.#end();
    return Promise.resolve(OVER);
  }

  #answer(): Answer | undefined {
    if (this.#dropped) return OVER;
    const text = this.#take();
    if (this.#text.isFull) this.#close();
    if (text !== '') return { done: false, value: text };
    return this.#endedAt === undefined ? undefined : OVER;
  }

  #take(): string {
    const length = this.#log.lengthAt(this.#endedAt ?? this.#clock.now());
    const to = Math.min(length, this.#number + MAX_LINES_AT_ONCE);
    let text = '';
    while (this.#number < to && !this.#text.isFull) text += this.#text.write(this.#log.lineAt(this.#number++));
    return text;
  }

  #onChange({ after }: Change): void {
    const log = after && openLog(after, this.#container);
    if (log === undefined || log.startedAt !== this.#log.startedAt) {
      this.#end();
      return;
    }
    this.#log = log;
    if (log.isWhole) this.#end();
    else this.#look();
  }

  #end(): void {
    this.#close();
    this.#look();
  }

  /** From now on nothing is written any more. */
  #close(): void {
    if (this.#endedAt !== undefined) return;
    this.#endedAt = this.#clock.now();
    for (const release of this.#releases) release();
  }

  /** Tells whoever waits, if there is something to tell. */
  #look(): void {
    const waiting = this.#waiting;
    if (waiting === undefined) return;
    this.#wakeNoMore();
    const answer = this.#answer();
    if (answer === undefined) {
      this.#sleep();
      return;
    }
    this.#waiting = undefined;
    waiting(answer);
  }

  #sleep(): void {
    const due = this.#log.dueAt(this.#number);
    if (due !== undefined) this.#timer = this.#clock.schedule(due - this.#clock.now(), () => this.#look());
  }

  #wakeNoMore(): void {
    this.#timer?.();
    this.#timer = undefined;
  }
}
