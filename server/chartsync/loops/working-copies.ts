import { messageOf } from '@/lib/contract/app-error';
import type { Clock, Log } from '@/server/platform';
import type { WorkingCopy } from '../ports';
import { RECONCILE_WAIT_MS } from './keyed-mutex';
import { WorkingCopyLock } from './working-copy-lock';

interface WorkingCopiesDeps {
  readonly clock: Pick<Clock, 'schedule'>;
  readonly log: Log;
}

/** A copy, and how many read it. */
interface Copy {
  readonly copy: WorkingCopy;
  readers: number;
  isReplaced: boolean;
}

/** The one working copy at the one pinned revision. Only the git side swaps it; everything else reads. What a Helm reads that hangs is left to it until it ends. */
export class WorkingCopies {
  readonly #deps: WorkingCopiesDeps;
  readonly #lock = new WorkingCopyLock();
  #copy: Copy | undefined;
  #revision: string | undefined;

  constructor(deps: WorkingCopiesDeps) {
    this.#deps = deps;
  }

  /** The commit that the git side has taken; it advances at the end of a change pass (R-LOOP-5). */
  get revision(): string | undefined {
    return this.#revision;
  }

  /** Runs a task on the copy, which stays as it is meanwhile; the task is not run when there is none. */
  async read(task: (copy: WorkingCopy) => Promise<void>): Promise<void> {
    await this.#lock.read(async () => {
      const read = this.#copy;
      if (read === undefined) return;
      read.readers++;
      try {
        await task(read.copy);
      } finally {
        read.readers--;
        await this.#removeUnread(read);
      }
    });
  }

  /** Puts an exported commit in the place of the present one, when nobody reads that any more; for one who reads it for long it does not wait. */
  async swap(next: WorkingCopy): Promise<void> {
    const { clock, log } = this.#deps;
    const release = clock.schedule(RECONCILE_WAIT_MS, () => this.#lock.letPast());
    try {
      await this.#lock.write(async () => {
        await this.#replace({ copy: next, readers: 0, isReplaced: false });
        log.info({ revision: next.revision }, 'took over a working copy');
      });
    } finally {
      release();
    }
  }

  /** Pins the commit whose changes have been taken. */
  pin(revision: string): void {
    this.#revision = revision;
  }

  /** Removes the copy once nobody reads it. */
  async clear(): Promise<void> {
    await this.#lock.write(() => this.#replace(undefined));
  }

  async #replace(next: Copy | undefined): Promise<void> {
    const replaced = this.#copy;
    this.#copy = next;
    if (replaced === undefined) return;
    replaced.isReplaced = true;
    await this.#removeUnread(replaced);
  }

  async #removeUnread({ copy, readers, isReplaced }: Copy): Promise<void> {
    if (!isReplaced || readers > 0) return;
    await copy
      .remove()
      .catch((error: unknown) =>
        this.#deps.log.warn({ revision: copy.revision, error: messageOf(error) }, 'could not remove a working copy'),
      );
  }
}
