import { messageOf } from '@/lib/contract/app-error';
import type { Log } from '@/server/platform';
import type { WorkingCopy } from '../ports';
import { CopyLock } from './copy-lock';

/** The one working copy at the one pinned revision. Only the git side swaps it; everything else reads. */
export class WorkingCopies {
  readonly #log: Log;
  readonly #lock = new CopyLock();
  #copy: WorkingCopy | undefined;
  #revision: string | undefined;

  constructor(log: Log) {
    this.#log = log;
  }

  /** The commit that the git side has taken; it advances at the end of a change pass (R-LOOP-5). */
  get revision(): string | undefined {
    return this.#revision;
  }

  /** Runs a task on the copy, which stays as it is meanwhile; the task is not run when there is none. */
  async read(task: (copy: WorkingCopy) => Promise<void>): Promise<void> {
    await this.#lock.read(async () => {
      if (this.#copy !== undefined) await task(this.#copy);
    });
  }

  /** Puts an exported commit in the place of the present one, when nobody reads that any more. */
  async swap(next: WorkingCopy): Promise<void> {
    await this.#lock.write(async () => {
      await this.#remove();
      this.#copy = next;
      this.#log.info({ revision: next.revision }, 'took over a working copy');
    });
  }

  /** Pins the commit whose changes have been taken. */
  pin(revision: string): void {
    this.#revision = revision;
  }

  /** Removes the copy once nobody reads it. */
  async clear(): Promise<void> {
    await this.#lock.write(() => this.#remove());
  }

  async #remove(): Promise<void> {
    const copy = this.#copy;
    this.#copy = undefined;
    await copy
      ?.remove()
      .catch((error: unknown) => this.#log.warn({ revision: copy.revision, error: messageOf(error) }, 'could not remove a working copy'));
  }
}
