import type { RecordEntry } from '@/lib/contract/record-entry';
import { inParallel } from '@/lib/std/in-parallel';
import { formatCount } from '@/lib/words/figures';
import type { Log } from '@/server/platform';
import { rootReason } from '../store-errors';
import type { SpoolFile } from './pending-entries';
import { MAX_PENDING } from './pending-entries';

const BATCH = 500;

/** Acts of engines that the store could not take: in the file, and in memory while the disk takes none. */
export class EntrySpool {
  readonly #waiting: SpoolFile;
  readonly #log: Log;
  /** Entries on their way into the file. */
  #keeping = 0;
  /** Entries that the disk did not take, by their ids, and why. */
  readonly #unkept = new Map<string, RecordEntry>();
  #diskFailure: string | undefined;

  constructor(waiting: SpoolFile, log: Log) {
    this.#waiting = waiting;
    this.#log = log;
  }

  /** True while none waits, nor is about to. */
  isEmpty(): boolean {
    return this.#keeping === 0 && this.#unkept.size === 0 && this.#waiting.size() === 0;
  }

  /** True while no more can wait. */
  isFull(): boolean {
    return this.#unkept.size > 0 || this.#waiting.size() >= MAX_PENDING;
  }

  /** Keeps an entry in the file; where the disk does not take it, keeps it in memory and throws. */
  async keep(entry: RecordEntry): Promise<void> {
    this.#keeping++;
    try {
      await this.#keepUnkept();
      await this.#waiting.add(entry);
    } catch (error) {
      this.#unkept.set(entry.id, entry);
      this.#diskFailure = rootReason(error);
      this.#log.error({ reason: this.#diskFailure }, 'an entry can neither be recorded nor wait in the file; engines are stopped');
      throw error;
    } finally {
      this.#keeping--;
    }
  }

  /** Gives all of them to the store, those in the file in their order, and says how many those were. */
  async release(append: (entry: RecordEntry) => Promise<void>): Promise<number> {
    const waited = this.#waiting.size();
    while (this.#waiting.size() > 0) await this.#waiting.drain((entries) => inParallel(entries, BATCH, append));
    for (const [id, entry] of this.#unkept) {
      await append(entry);
      this.#unkept.delete(id);
    }
    this.#diskFailure = undefined;
    return waited;
  }

  /** Tries the disk again with what it did not take. */
  async retryDisk(): Promise<void> {
    await this.#keepUnkept().catch((error: unknown) => {
      this.#diskFailure = rootReason(error);
    });
  }

  /** How many wait, and whether engines go on. */
  describe(): string {
    const size = this.#waiting.size();
    const waits = `${formatCount(size, 'entry', 'entries')} of engines ${size === 1 ? 'waits' : 'wait'} in a file`;
    if (!this.isFull()) return `${waits}, ${formatCount(MAX_PENDING, 'entry', 'entries')} at most`;
    const most = this.#diskFailure === undefined ? 'which is the limit' : `and no more can be written there (${this.#diskFailure})`;
    return `${waits}, ${most}: engines are stopped, except for aborts`;
  }

  /** What the disk did not take goes first, as soon as it takes something again. */
  async #keepUnkept(): Promise<void> {
    for (const [id, entry] of this.#unkept) {
      await this.#waiting.add(entry);
      this.#unkept.delete(id);
    }
    this.#diskFailure = undefined;
  }
}
