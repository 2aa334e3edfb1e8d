import { AppError, messageOf } from '@/lib/contract/app-error';
import type { Finding } from '@/lib/contract/finding';
import type { RecordEntry } from '@/lib/contract/record-entry';
import type { StatusRow } from '@/lib/contract/system-rows';
import type { Instant } from '@/lib/std/instant';
import { toIso } from '@/lib/std/instant';
import type { Clock, Log, Release } from '@/server/platform';
import { monotonicMsOf, waitAtMost } from '@/server/platform';
import type { SpoolFile, Store, StoreOpening } from '@/server/store';
import { EntrySpool, rootReason } from '@/server/store';

const TRY_EVERY_MS = 2000;
const POLL_INTERVAL_MS = 5000;
/** An answer of the store counts for so long. */
const HEARD_FOR_MS = 1000;
const ANSWER_LIMIT_MS = 3000;

export interface AuditRecorderDeps {
  readonly opening: StoreOpening;
  readonly waiting: SpoolFile;
  readonly clock: Clock;
  readonly log: Log;
  readonly onRecorded: (entry: RecordEntry) => void;
}

/**
 * `waiting`: acts of engines go into a file, and no decision counts but pause and abort. `full`: no more can wait there, by their number or because
 * the disk takes none, and engines stand still, aborts excepted.
 */
export type RecordState = 'open' | 'waiting' | 'full';

/**
 * The record as the rest of the server writes it, whether its store answers or not. Nothing is dropped in silence.
 *
 * 1. What a person does is in the store before it happens, or it is refused. Pausing, aborting and suspending are never refused.
 * 2. What an engine does waits in a file while the store does not answer, and is appended in order, once, when it does again. So does what a person suspends, which happens even where neither takes it.
 * 3. An act that the file does not take either has failed for whoever did it, and is kept in memory until one of both takes it.
 */
export class AuditRecorder {
  readonly #deps: AuditRecorderDeps;
  readonly #held: EntrySpool;
  #store: Store | undefined;
  #failure: { readonly since: Instant; readonly sentence: string } | undefined;
  #heardAt = Number.NEGATIVE_INFINITY;
  #asking: Promise<boolean> | undefined;
  #cancelTry: Release | undefined;
  #isOver = false;

  constructor(deps: AuditRecorderDeps) {
    this.#deps = deps;
    this.#held = new EntrySpool(deps.waiting, deps.log);
    deps.opening.now().catch((error: unknown) => this.#fail(error));
    deps.opening.whenOpen.then(
      (store) => {
        this.#store = store;
        if (this.#failure !== undefined || !this.#held.isEmpty()) this.#tryAgain(0);
      },
      () => undefined, // all ends; what waits is in the file
    );
  }

  /** Puts an act of a person on record; throws unavailable when that cannot be done now. */
  readonly record = async (entry: RecordEntry): Promise<void> => {
    await this.requireOpen();
    try {
      await (await this.#deps.opening.now()).audit.append(entry);
    } catch (error) {
      this.#fail(error);
      throw this.#refusal();
    }
    this.#deps.onRecorded(entry);
  };

  /** Puts an act of an engine on record; resolves when it is durable in the store or in the file, and throws where neither takes it. */
  readonly recordAct = async (entry: RecordEntry): Promise<void> => {
    if (!(await this.#append(entry))) await this.#keep(entry);
    this.#deps.onRecorded(entry);
  };

  /** Puts what a person stops on record; where neither the store nor the file takes it, it is kept in memory until one does, and never in the way. */
  readonly recordStop = (entry: RecordEntry): Promise<void> => this.recordAct(entry).catch(() => this.#deps.onRecorded(entry));

  /** Which of these ids are on record, as the store says; none while it does not answer. */
  readonly onRecord = async (ids: readonly string[]): Promise<ReadonlySet<string>> => {
    if (this.#store === undefined || this.#failure !== undefined) return new Set();
    try {
      return await this.#within(this.#store.audit.known(ids));
    } catch (error) {
      this.#fail(error);
      return new Set();
    }
  };

  /** How the record stands, asked of the store itself. */
  readonly stands = async (): Promise<RecordState> => {
    if (this.#held.isFull()) return 'full';
    return (await this.#answers()) ? 'open' : 'waiting';
  };

  /** What engines have of it. */
  readonly ofEngines = { recordState: this.stands, record: this.recordAct, onRecord: this.onRecord };

  /** Throws unavailable while what people decide cannot be put on record. */
  readonly requireOpen = async (): Promise<void> => {
    await this.#deps.opening.now().catch(() => undefined); // the first opening takes seconds, and is no refusal
    if (!(await this.#answers())) throw this.#refusal();
  };

  /** Asks the store again and again, so that it is known to be down before anybody needs it. */
  readonly watch = async (signal: AbortSignal): Promise<void> => {
    await this.#deps.opening.now().catch(() => undefined); // what did not open is told by `trouble`
    while (!signal.aborted) {
      await this.#answers();
      await this.#deps.clock.sleep(POLL_INTERVAL_MS, signal).catch(() => undefined); // an abort ends the loop by itself
    }
  };

  /** Since when nothing can be written to the record, and why; null while it can. */
  readonly trouble = (): StatusRow['record'] => {
    if (this.#failure === undefined) return null;
    const { since, sentence } = this.#failure;
    return { since: toIso(since), sentence, full: this.#held.isFull() };
  };

  /** What of the record is not in order. */
  readonly findings = (): readonly Finding[] => {
    const down =
      this.#failure === undefined
        ? []
        : [
            `${this.#formatFailure()}: changes and decisions are refused, and those made with kubectl stay Pending; pause, abort and suspend still work; ${this.#held.describe()}`,
          ];
    return [...down, ...(this.#store?.audit.troubles() ?? [])].map((sentence) => ({
      area: 'record',
      subject: 'record',
      sentence,
      remedy: null,
    }));
  };

  [Symbol.dispose](): void {
    this.#isOver = true;
    this.#cancelTry?.();
  }

  /** False where the entry must wait; those that wait already go first. */
  async #append(entry: RecordEntry): Promise<boolean> {
    // The first opening takes many seconds: a pass that waited for it would keep others from their turn.
    const store = this.#store;
    if (store === undefined || this.#failure !== undefined || !this.#held.isEmpty()) return false;
    try {
      await store.audit.append(entry);
      this.#hear();
      return true;
    } catch (error) {
      this.#fail(error);
      return false;
    }
  }

  /** Keeps an entry in the file; the store may have opened meanwhile. */
  async #keep(entry: RecordEntry): Promise<void> {
    try {
      await this.#held.keep(entry);
    } catch (error) {
      this.#tryAgain(TRY_EVERY_MS);
      throw error;
    }
    this.#tryAgain(0);
  }

  /** Every pass of an engine asks, so what the store was heard to say counts for a while, and it is asked once however many wait. */
  async #answers(): Promise<boolean> {
    if (this.#store === undefined || this.#failure !== undefined) return false;
    if (monotonicMsOf(this.#deps.clock) - this.#heardAt < HEARD_FOR_MS) return true;
    this.#asking ??= this.#ask(this.#store).finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  async #ask({ audit }: Store): Promise<boolean> {
    try {
      await this.#within(audit.readRecent(1));
      this.#hear();
      return true;
    } catch (error) {
      this.#fail(error);
      return false;
    }
  }

  #hear(): void {
    this.#heardAt = monotonicMsOf(this.#deps.clock);
  }

  #fail(error: unknown): void {
    const { clock, log } = this.#deps;
    if (this.#failure === undefined) {
      this.#failure = { since: clock.now(), sentence: rootReason(error) };
      // The store ends with the server; an act that comes after waits in the file for the next start.
      if (!this.#isOver) log.error({ error: messageOf(error), reason: rootReason(error) }, 'the record cannot be written');
    }
    this.#heardAt = Number.NEGATIVE_INFINITY;
    this.#tryAgain(TRY_EVERY_MS);
  }

  #tryAgain(afterMs: number): void {
    // One that is not open yet is opened by whoever opens it, and heard of then.
    if (this.#isOver || this.#store === undefined || this.#cancelTry !== undefined) return;
    this.#cancelTry = this.#deps.clock.schedule(afterMs, () => {
      this.#cancelTry = undefined;
      const release = this.#deps.clock.hold();
      void this.#catchUp().finally(release);
    });
  }

  /** Appends what waits, as soon as the store takes it. */
  async #catchUp(): Promise<void> {
    const audit = this.#store?.audit;
    if (audit === undefined) return;
    await this.#held.retryDisk(); // the store may take them all the same
    try {
      await this.#within(audit.readRecent(1));
      const entries = await this.#held.release((entry) => audit.append(entry));
      if (this.#failure !== undefined) this.#deps.log.warn({ entries }, 'the record can be written again; what waited is recorded');
      this.#failure = undefined;
    } catch (error) {
      this.#fail(error);
    }
  }

  #within<Answer>(answer: Promise<Answer>): Promise<Answer> {
    const late = () => {
      throw new Error('it does not answer');
    };
    return waitAtMost({ clock: this.#deps.clock, ms: ANSWER_LIMIT_MS, late }, answer);
  }

  #refusal(): AppError {
    return new AppError('unavailable', `${this.#formatFailure()}, so this is refused; pause, abort and suspend still work`);
  }

  #formatFailure(): string {
    const { since, sentence } = this.#failure ?? { since: this.#deps.clock.now(), sentence: 'it is still opening' };
    return `the record has not been writable since ${toIso(since)} (${sentence})`;
  }
}
