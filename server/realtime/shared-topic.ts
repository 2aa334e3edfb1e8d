import type { Keyed, Seq, WindowDelta, WindowSnapshot } from '@/lib/contract/live';
import { foldWindow } from '@/lib/contract/live';
import type { Clock, Release } from '@/server/platform';
import type { LiveWindow } from '@/server/readmodel';
import type { TimeSlicer } from './time-slicer';

const FLUSH_EVERY_MS = 100;
const REMEMBERED_DELTAS = 64;
const REMEMBERED_ROWS = 4000;

/** What a client that comes back is told. */
export type ResumeAnswer =
  | { readonly kind: 'snapshot'; readonly snapshot: WindowSnapshot<Keyed> }
  | { readonly kind: 'resumed'; readonly delta: WindowDelta<Keyed> | null };

/** When a topic computes: not sooner than it may, and when it is its turn among all. */
export interface TopicSchedule {
  readonly clock: Clock;
  readonly slicer: TimeSlicer;
}

interface Remembered {
  /** Position before the delta. */
  readonly base: number;
  readonly delta: WindowDelta<Keyed>;
}

/**
 * One window for all who look at the same topic with the same visibility.
 *
 * 1. The window is computed at most once in 100 ms, in its turn among all topics, and only after something changed; the first change goes out at once.
 * 2. Everybody gets the same delta; who joins gets the folded window without another computation.
 * 3. The newest deltas are remembered, so that a short absence costs only what was missed.
 * 4. While nobody watches nothing is computed; who comes back gets all that changed as one delta.
 */
export class SharedTopic {
  readonly #window: LiveWindow;
  readonly #clock: Clock;
  readonly #slicer: TimeSlicer;
  readonly #send: (delta: WindowDelta<Keyed>) => void;
  readonly #unwatch: Release;
  #held: WindowSnapshot<Keyed>;
  #remembered: Remembered[] = [];
  #dirty = false;
  #isResting = false;
  #flushedAt = Number.NEGATIVE_INFINITY;
  #cancelFlush: Release | undefined;

  constructor(window: LiveWindow, { clock, slicer }: TopicSchedule, send: (delta: WindowDelta<Keyed>) => void) {
    this.#window = window;
    this.#clock = clock;
    this.#slicer = slicer;
    this.#send = send;
    this.#unwatch = window.onDirty(() => this.#onDirty());
    this.#held = window.snapshot();
  }

  /** The first answer to a subscriber, or what it missed since the position it holds. */
  resume(since: Seq | undefined): ResumeAnswer {
    // Who read over HTTP may be ahead of the last flush.
    if (this.#dirty && (this.#mayFlush() || (since?.seq ?? 0) > this.#held.seq.seq)) this.#flush();
    const missed = since === undefined ? undefined : this.#missed(since);
    return missed === undefined ? { kind: 'snapshot', snapshot: this.#held } : { kind: 'resumed', delta: missed };
  }

  /** Nobody watches any more: what changes is noted, and computed for who comes back. */
  rest(): void {
    this.#isResting = true;
    this.#cancelFlush?.();
    this.#cancelFlush = undefined;
  }

  /** Somebody watches again. */
  wake(): void {
    if (!this.#isResting) return;
    this.#isResting = false;
    if (this.#dirty) this.#scheduleFlush();
  }

  /** Ends the window under it. */
  release(): void {
    this.#unwatch();
    this.#cancelFlush?.();
    this.#window.release();
  }

  /** Everything after a position as one delta; null when there is nothing, undefined when it is not remembered. */
  #missed(since: Seq): WindowDelta<Keyed> | null | undefined {
    const { seq } = this.#held;
    if (since.bootId !== seq.bootId || since.seq > seq.seq) return undefined;
    if (since.seq === seq.seq) return null;
    const from = this.#remembered.findIndex(({ delta }) => delta.seq.seq > since.seq);
    const first = this.#remembered[from];
    if (first === undefined || first.base > since.seq) return undefined;
    const changed = new Set(this.#remembered.slice(from).flatMap(({ delta }) => delta.rows.map((row) => row.key)));
    return { ...this.#held, rows: this.#held.rows.filter((row) => changed.has(row.key)) };
  }

  #onDirty(): void {
    if (this.#dirty) return;
    this.#dirty = true;
    if (!this.#isResting) this.#scheduleFlush();
  }

  #scheduleFlush(): void {
    const release = this.#clock.hold();
    this.#cancelFlush = this.#clock.schedule(Math.max(0, this.#flushedAt + FLUSH_EVERY_MS - this.#clock.now()), () => {
      const leave = this.#slicer.run(() => this.#flush());
      if (leave !== undefined) this.#cancelFlush = leave;
    });
    release();
  }

  #mayFlush(): boolean {
    return this.#clock.now() - this.#flushedAt >= FLUSH_EVERY_MS;
  }

  #flush(): void {
    this.#cancelFlush?.();
    this.#cancelFlush = undefined;
    this.#dirty = false;
    this.#flushedAt = this.#clock.now();
    const delta = this.#window.refresh();
    if (delta === null) return;
    const base = this.#held.seq.seq;
    this.#held = foldWindow(this.#held, delta);
    if (this.#held.seq.seq === base) return; // a snapshot had it already
    this.#remember({ base, delta });
    this.#send(delta);
  }

  #remember(entry: Remembered): void {
    this.#remembered.push(entry);
    let rows = this.#remembered.reduce((sum, { delta }) => sum + delta.rows.length, 0);
    while (this.#remembered.length > REMEMBERED_DELTAS || (rows > REMEMBERED_ROWS && this.#remembered.length > 0)) {
      rows -= this.#remembered.shift()?.delta.rows.length ?? 0;
    }
  }
}
