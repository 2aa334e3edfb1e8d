import { AppError } from '@/lib/contract/app-error';
import { readNumber, readString } from '@/lib/kube/fields';
import { formatRelease } from '@/lib/words/format-release';
import type { HelmWork } from '../describe/helm-works';
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

/**
 * What people cancelled: the same chart for the same resource is not tried again before something changes, or somebody decides so. It stands in the
 * status of the resource; what this process told counts before it is written there.
 */
export class Cancels {
  readonly #told = new Map<string, { readonly revision: string | undefined; readonly generation: number; readonly why: string }>();

  /** Takes down what looks come to, before they are told: whatever was done or found as it should be ends a cancel. */
  hearing(notify: (told: SyncReport) => void): (told: SyncReport) => void {
    return (told) => {
      const { resource, outcome, revision, isCancelled, error: why = '' } = told;
      if (isCancelled === true) this.#told.set(resource.uid, { revision, generation: resource.generation, why });
      else if (outcome !== 'failed') this.#told.delete(resource.uid);
      notify(told);
    };
  }

  /** Throws where exactly this was cancelled, and nobody asks for it. */
  requireNotCancelled(
    { uid, status, generation }: DeclaredRelease,
    { by, revision }: { readonly by: Trigger; readonly revision: string },
  ): void {
    if (!isIdleTrigger(by)) return;
    const told = this.#told.get(uid) ?? {
      revision: readString(status, 'failure', 'revision'),
      generation: readNumber(status, 'failure', 'cancelled'),
      why: readString(status, 'failure', 'message') ?? '',
    };
    if (told.revision === revision && told.generation === generation) throw new Cancelled(told.why);
  }
}

interface Cancelling {
  readonly helm: { cancel(release: ReleaseRef, by: string): Promise<string | undefined> };
  readonly works: { of(release: ReleaseRef): HelmWork | undefined };
  readonly cancels: Cancels;
  readonly notify: (told: SyncReport) => void;
  /** The commit that the base kind is at. */
  readonly pinned: () => string | undefined;
}

/** Ends what Helm does to a release, for a person. Of one that an earlier process of the server began nobody else tells that it was cancelled. */
export function createCancel({ helm, works, cancels, notify, pinned }: Cancelling) {
  const tell = cancels.hearing(notify);
  return (resource: DeclaredRelease, by: string): Promise<string | undefined> => {
    const work = works.of(resource.release);
    const ending = helm.cancel(resource.release, by);
    if (work?.isInherited === true && work.until === null) {
      const revision = resource.profile === 'base' ? pinned() : attemptedOf(resource);
      tell({ resource, by: 'decision', revision, outcome: 'failed', error: Cancelled.by(by).message, isCancelled: true });
    }
    return ending;
  };
}
