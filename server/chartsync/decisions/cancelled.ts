import { AppError } from '@/lib/contract/app-error';
import type { Fields } from '@/lib/kube/fields';
import { readNumber, readString } from '@/lib/kube/fields';
import { formatRelease } from '@/lib/words/format-release';
import type { HelmWork } from '../describe/helm-works';
import { isGone } from '../describe/reconcile-history';
import { isIdle } from '../describe/released-at';
import { attemptedOf } from '../describe/status-fields';
import type { DeclaredRelease } from '../model/declared';
import type { ReleaseRef } from '../model/release';
import type { SyncReport, Trigger } from '../ports';

/** That a person ended what Helm was to change, or took it out of the queue, and that it is not tried again for that. */
export class Cancelled extends AppError {
  constructor(sentence: string) {
    super('rejected', sentence);
  }

  static by(user: string): Cancelled {
    return new Cancelled(formatRelease({ id: 'act.cancelled', by: user }));
  }
}

const RETRIES = formatRelease({ id: 'act.cancelled', by: '' }).slice(' cancelled it'.length);

/** Why something failed, without what is said of retries where a person cancelled it: whoever repeats it says that better. */
export function withoutRetries(why: string): string {
  return why.endsWith(RETRIES) ? why.slice(0, -RETRIES.length) : why;
}

/** What moves nothing of what was cancelled: the schedule, a process that begins anew with the same resources, repositories and commits, and live objects. */
const IDLE: readonly Trigger[] = ['schedule', 'resource', 'commit', 'repository', 'drift'];

/** Whether what asks for a look tries nothing again that was cancelled. */
export function isIdleTrigger(by: Trigger): boolean {
  return IDLE.includes(by);
}

/** What a person cancelled of a resource, as its status keeps it, whatever fails after it. */
export interface CancelNote {
  readonly revision: string;
  readonly generation: number;
  /** Who cancelled it, in a sentence. */
  readonly message: string;
}

/** What a look came to, and what stays cancelled after it; null where that is over, absent where nothing was. */
export interface CancelReport extends SyncReport {
  readonly cancelled?: CancelNote | null;
}

/**
 * What people cancelled: the same chart for the same resource is not tried again before something changes, or somebody decides so. It stands in the
 * status of the resource; what this process told counts before it is written there.
 */
export class Cancels {
  /** By uid; null where what was cancelled is over. */
  readonly #known = new Map<string, CancelNote | null>();
  /** Resources of which more was tried than is cancelled, until that is told. */
  readonly #tried = new Set<string>();

  /** Takes down what looks come to, and tells with it what stays cancelled: until something is tried all the same, was done, or was found as it should be. */
  hearing(notify: (told: CancelReport) => void): (told: SyncReport) => void {
    return (told) => {
      const { resource, outcome, revision, isCancelled, error: message = '' } = told;
      const { uid, generation } = resource;
      const isTried = this.#tried.delete(uid);
      if (isCancelled === true) {
        if (revision !== undefined) this.#known.set(uid, { revision, generation, message });
      } else if (!isIdle(outcome) && (isTried || outcome !== 'failed') && this.#of(resource) !== undefined) this.#known.set(uid, null);
      const cancelled = this.#of(resource);
      if (isGone(told)) this.#known.delete(uid);
      notify(cancelled === undefined ? told : { ...told, cancelled });
    };
  }

  /** Throws where exactly this was cancelled, and nobody asks for it. */
  requireNotCancelled(resource: DeclaredRelease, { by, revision }: { readonly by: Trigger; readonly revision: string }): void {
    const note = this.#of(resource);
    if (note != null && isIdleTrigger(by) && note.revision === revision && note.generation === resource.generation)
      throw new Cancelled(note.message);
    this.#tried.add(resource.uid);
  }

  #of({ uid, status }: DeclaredRelease): CancelNote | null | undefined {
    const known = this.#known.get(uid);
    return known === undefined ? readCancel(status) : known;
  }
}

function readCancel(status: Fields): CancelNote | undefined {
  const revision = readString(status, 'cancelled', 'revision');
  const generation = readNumber(status, 'cancelled', 'generation');
  if (revision === undefined || generation === undefined) return undefined;
  return { revision, generation, message: readString(status, 'cancelled', 'message') ?? '' };
}

interface Cancelling {
  readonly helm: { cancel(release: ReleaseRef, by: string): Promise<string | undefined> };
  readonly works: { of(release: ReleaseRef): HelmWork | undefined };
  readonly cancels: Cancels;
  readonly notify: (told: CancelReport) => void;
}

/**
 * Ends what Helm does to a release, for a person. Of one that an earlier process of the server began nobody else tells that it was cancelled: at the commit that
 * it was to release, wherever the branch or the gate is by now, and not at all where nobody knows that.
 */
export function createCancel({ helm, works, cancels, notify }: Cancelling) {
  const tell = cancels.hearing(notify);
  return (resource: DeclaredRelease, by: string): Promise<string | undefined> => {
    const work = works.of(resource.release);
    const ending = helm.cancel(resource.release, by);
    if (work?.isInherited === true && work.until === null) {
      const revision = work.madeFrom ?? (resource.profile === 'base' ? undefined : attemptedOf(resource));
      if (revision !== undefined)
        tell({ resource, by: 'decision', revision, outcome: 'failed', error: Cancelled.by(by).message, isCancelled: true });
    }
    return ending;
  };
}
