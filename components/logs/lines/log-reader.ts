import { grantOf } from '@/components/ui/data/error-panel';
import { messageOf } from '@/lib/contract/app-error';
import type { SentEvent } from '@/lib/contract/event-lines';
import { dataOf } from '@/lib/contract/event-lines';
import type { LogLine, LogSource } from '@/lib/contract/log-stream';
import { logEnd, logLines, logSources } from '@/lib/contract/log-stream';
import { backOffMs } from '@/lib/std/back-off';
import { t } from '@/lib/words/catalogue/objects/logs';
import { LogLines } from './log-lines';
import type { LineView } from './shown-lines';
import { ShownLines } from './shown-lines';

const FRAME_BUDGET_MS = 8;
const PACE = { firstMs: 1000, longestMs: 15_000 };

/** How reading stands. resting: so much is held that more would push out what the person looks at. */
export type ReaderState =
  | { readonly kind: 'opening' | 'reading' | 'resting' }
  | { readonly kind: 'lost' | 'over' | 'withdrawn'; readonly sentence: string }
  /** With the commands by which somebody would be granted it. */
  | { readonly kind: 'refused'; readonly code: string; readonly sentence: string; readonly grant: readonly string[] };

export interface LogReaderDeps {
  /** Asks the server, from a moment on where the connection broke before. */
  readonly open: (signal: AbortSignal, from: string | undefined) => AsyncGenerator<SentEvent, void, void>;
  /** False where the log is read once: what broke is not made anew then. */
  readonly follows: boolean;
  /** Calls back before the next frame is painted. */
  readonly frame: (work: () => void) => void;
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly now: () => number;
  readonly onSource?: (source: LogSource) => void;
}

const EVERYTHING: LineView = { search: '', onlyFound: false, level: undefined, columns: undefined };

/**
 * Reads a stream of logs for a page.
 *
 * 1. It reads no faster than the page takes it, and rests while somebody looks at older lines and there is no room for more.
 * 2. Whatever comes is told once a frame.
 * 3. A connection that breaks is made anew where it broke, and no line is told twice.
 */
export class LogReader {
  readonly lines = new LogLines();
  readonly #deps: LogReaderDeps;
  readonly #listeners = new Set<() => void>();
  readonly #sources = new Map<number, LogSource>();
  /** Number here of what the server calls by a number of this connection. */
  #numbers = new Map<number, number>();
  readonly #latest = new Map<string, number>();
  #newest: { readonly at: string; readonly order: number } | undefined;
  #resumes = false;
  #nextSource = 0;
  #unlisted = 0;
  #state: ReaderState = { kind: 'opening' };
  #shown = new ShownLines(this.lines, EVERYTHING);
  #version = 0;
  #framed = false;
  #isAtEnd = true;
  #makeRoom: () => void = () => undefined;

  constructor(deps: LogReaderDeps) {
    this.#deps = deps;
  }

  get state(): ReaderState {
    return this.#state;
  }

  get shown(): ShownLines {
    return this.#shown;
  }

  /** Containers that the server does not even list. */
  get unlisted(): number {
    return this.#unlisted;
  }

  /** Another number as soon as anything is otherwise. */
  readonly version = (): number => this.#version;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /** Whose log is read now. */
  sources(): readonly LogSource[] {
    return [...this.#numbers.values()].flatMap((number) => this.#sources.get(number) ?? []);
  }

  /** Who wrote a line. */
  source(number: number): LogSource | undefined {
    return this.#sources.get(number);
  }

  show(wish: LineView): void {
    this.#shown = new ShownLines(this.lines, wish);
    this.#changed();
  }

  /** Whether the newest line is in sight: then older ones may go. */
  stayAtEnd(isAtEnd: boolean): void {
    this.#isAtEnd = isAtEnd;
    if (isAtEnd) this.#makeRoom();
  }

  /** Reads until the answer ends it. */
  start(): () => void {
    const ending = new AbortController();
    void this.#run(ending.signal);
    return () => {
      ending.abort();
      this.#makeRoom();
    };
  }

  async #run(signal: AbortSignal): Promise<void> {
    let failures = 0;
    while (!signal.aborted) {
      const before = this.lines.end;
      try {
        if ((await this.#read(signal)) === 'ended') return;
        this.#move({ kind: 'lost', sentence: t.theServerEndedTheConnection });
      } catch (error) {
        if (signal.aborted) return;
        if (isRefusal(error)) return this.#move({ kind: 'refused', code: error.code, sentence: messageOf(error), grant: grantOf(error) });
        this.#move({ kind: 'lost', sentence: t.theConnectionToTheServer });
      }
      if (!this.#deps.follows) return;
      this.#resumes = true;
      if (this.lines.end > before) failures = 0;
      await this.#deps.pause(backOffMs(PACE, failures++), signal);
    }
  }

  async #read(signal: AbortSignal): Promise<'ended' | 'broken'> {
    this.#numbers = new Map();
    for await (const event of this.#deps.open(signal, this.#resumes ? this.#newest?.at : undefined)) {
      if (signal.aborted) return 'ended';
      if (event.event === 'sources') this.#takeSources(event);
      if (event.event === 'lines') {
        if (this.lines.isFull && !this.#isAtEnd) await this.#room(signal);
        this.#takeLines(event);
      }
      if (event.event === 'end') {
        const { outcome, sentence } = dataOf(event, logEnd);
        this.#move({ kind: outcome, sentence });
        return 'ended';
      }
      if (this.#state.kind !== 'reading') this.#move({ kind: 'reading' });
    }
    return 'broken';
  }

  #takeSources(event: SentEvent): void {
    const { sources, unlisted } = dataOf(event, logSources);
    this.#unlisted = unlisted;
    for (const source of sources) {
      const id = this.#numbers.get(source.id) ?? this.#nextSource++;
      this.#numbers.set(source.id, id);
      this.#sources.set(id, { ...source, id });
      this.#deps.onSource?.(source);
    }
    this.#changed();
  }

  #takeLines(event: SentEvent): void {
    const fresh: LogLine[] = [];
    for (const line of dataOf(event, logLines).lines) {
      const from = this.#numbers.get(line.from) ?? -1;
      if (this.#isNew(line, from)) fresh.push({ ...line, from });
    }
    this.lines.push(fresh);
    this.#changed();
  }

  /** After a break the server tells from whole seconds on: what was told before is left out, mark by mark and line by line. */
  #isNew({ at, mark }: LogLine, from: number): boolean {
    const order = at === null ? Number.NaN : orderOf(at);
    if (Number.isNaN(order)) return true;
    const { pod = '', container = '', ns = '' } = this.#sources.get(from) ?? {};
    const key = `${ns} ${pod} ${container}${mark === undefined ? '' : ` ${mark}`}`;
    const latest = this.#latest.get(key) ?? Number.NEGATIVE_INFINITY;
    if (this.#resumes && order <= latest) return false;
    this.#latest.set(key, Math.max(latest, order));
    if (mark === undefined && at !== null && !(this.#newest !== undefined && order <= this.#newest.order)) this.#newest = { at, order };
    return true;
  }

  async #room(signal: AbortSignal): Promise<void> {
    this.#move({ kind: 'resting' });
    while (!this.#isAtEnd && !signal.aborted) {
      await new Promise<void>((resolve) => {
        this.#makeRoom = resolve;
      });
    }
  }

  #move(state: ReaderState): void {
    this.#state = state;
    if (state.kind === 'withdrawn' || state.kind === 'refused') this.#leaveSources();
    this.#changed();
  }

  /** Where the server reads no more, no container is read. */
  #leaveSources(): void {
    for (const [id, source] of this.#sources) if (isRead(source)) this.#sources.set(id, { ...source, state: 'left' });
  }

  #changed(): void {
    if (this.#framed) return;
    this.#framed = true;
    this.#deps.frame(() => {
      this.#framed = false;
      this.#shown.advance(this.#deps.now() + FRAME_BUDGET_MS, this.#deps.now);
      this.#version++;
      for (const listener of this.#listeners) listener();
      if (this.#shown.isBehind) this.#changed();
    });
  }
}

const isRead = ({ state }: LogSource): boolean => state === 'opening' || state === 'reading' || state === 'waiting';

const FRACTION = /(\.\d+)(?=Z|[+-]\d\d:\d\d$)/;

/** Milliseconds with their fraction. */
function orderOf(at: string): number {
  const [fraction = ''] = FRACTION.exec(at) ?? [];
  return Date.parse(at.replace(FRACTION, '')) + Number(`0${fraction}`) * 1000;
}

/** What the server itself said no to; asking again would be answered alike. */
function isRefusal(error: unknown): error is Error & { readonly code: string } {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return false;
  return error.code !== 'unreachable' && error.code !== 'unavailable' && error.code !== 'too-many';
}
