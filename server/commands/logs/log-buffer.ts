import type { LogLine } from '@/lib/contract/log-stream';
import type { PlacedLine } from './read-line';

/** What one container may have waiting: then its connection is read no further, until somebody reads here. */
const MAX_WAITING_BYTES = 64 * 1024;
const BYTES_BESIDE_TEXT = 60;

interface Waiting {
  readonly order: number;
  readonly line: LogLine;
  readonly size: number;
  readonly arrivedAt: number;
}

type Phase = 'opening' | 'open' | 'quiet';

/** The lines of one container that wait to be told. */
export class LogBuffer {
  /** opening: its first bytes are awaited, and what others wrote may have to go after them · quiet: it brings nothing now. */
  #phase: Phase = 'quiet';
  readonly #now: () => number;
  readonly #onNews: () => void;
  #lines: Waiting[] = [];
  #bytes = 0;
  #latest = Number.NEGATIVE_INFINITY;
  #roomed: (() => void) | undefined;

  constructor(now: () => number, onNews: () => void) {
    this.#now = now;
    this.#onNews = onNews;
  }

  get phase(): Phase {
    return this.#phase;
  }

  /** The oldest line. */
  get head(): { readonly order: number; readonly arrivedAt: number } | undefined {
    return this.#lines[0];
  }

  /** True when no more should be read now. */
  get isFull(): boolean {
    return this.#bytes >= MAX_WAITING_BYTES;
  }

  /** Where the latest line stands; lines of one container keep the order in which they came. */
  get latest(): number {
    return this.#latest;
  }

  push({ order, line }: PlacedLine): void {
    const arrivedAt = this.#now();
    const size = line.text.length + BYTES_BESIDE_TEXT;
    // One without a time stands where it arrived: after the line before it.
    this.#latest = Math.max(this.#latest, order ?? (Number.isFinite(this.#latest) ? this.#latest : arrivedAt));
    this.#lines.push({ order: this.#latest, line, size, arrivedAt });
    this.#bytes += size;
    if (this.#phase === 'opening') this.#phase = 'open';
    if (this.#lines.length === 1) this.#onNews();
  }

  take(): LogLine | undefined {
    const next = this.#lines.shift();
    if (next === undefined) return undefined;
    this.#bytes -= next.size;
    if (this.#bytes < MAX_WAITING_BYTES / 2) this.#makeRoom();
    return next.line;
  }

  /** Resolves once there is room for more. */
  room(): Promise<void> {
    if (!this.isFull) return Promise.resolve();
    return new Promise((resolve) => {
      this.#roomed = resolve;
    });
  }

  /** Forgets what waits: nobody may be told of it. */
  drop(): void {
    this.#lines = [];
    this.#bytes = 0;
    this.#makeRoom();
  }

  turn(phase: Phase): void {
    if (this.#phase === phase) return;
    this.#phase = phase;
    this.#onNews(); // what waits for its lines may go
  }

  #makeRoom(): void {
    const roomed = this.#roomed;
    this.#roomed = undefined;
    roomed?.();
  }
}
