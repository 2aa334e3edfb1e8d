import { AppError, messageOf } from '@/lib/contract/app-error';
import type { Fields } from '@/lib/kube/fields';
import { readNumber, readString } from '@/lib/kube/fields';
import { formatRelease } from '@/lib/words/format-release';
import type { Log } from '@/server/platform';
import type { HelmOperation } from '../describe/helm-operations';
import { isOrphanedOperation } from '../describe/helm-operations';
import { isGone } from '../describe/reconcile-history';
import { isIdle } from '../describe/released-at';
import type { DeclaredRelease } from '../model/declared';
import type { ChartAt, ReleaseRef } from '../model/release';
import type { RevisionSource } from '../model/revision-source';
import type { HelmPort, ResourcePort, SyncReport, Trigger } from '../ports';

/** That a person ended what Helm was to change, or took it out of the queue, and that it is not tried again for that. */
export class Cancelled extends AppError {
  constructor(sentence: string) {
    super('rejected', sentence);
  }

  static by(user: string): Cancelled {
    return new Cancelled(formatRelease({ id: 'act.cancelled', by: user }));
  }
}

const CANCELLED_IT = formatRelease({ id: 'act.cancelled', by: '' }).split(';')[0] ?? '';

/**
 * Why something failed, without what is said of retries where a person cancelled it: whoever repeats it says that better, and notes that are
 * stored may say it in older words.
 */
export function withoutRetries(why: string): string {
  const at = why.indexOf(`${CANCELLED_IT};`);
  return at === -1 ? why : why.slice(0, at + CANCELLED_IT.length);
}

/** What moves nothing of what was cancelled: the schedule, a process that begins anew with the same resources, repositories and commits, and live objects. */
const IDLE: readonly Trigger[] = ['schedule', 'resource', 'commit', 'repository', 'drift'];

/** Whether what asks for a look tries nothing again that was cancelled. */
export function isIdleTrigger(by: Trigger): boolean {
  return IDLE.includes(by);
}

/** What a person cancelled of a resource, as its status keeps it, whatever fails after it. */
export interface CancelRecord extends RevisionSource {
  /** Who cancelled it, in a sentence. */
  readonly message: string;
}

/** What a look came to, and what stays cancelled after it; null where that is over, absent where nothing was. */
export interface CancelReport extends SyncReport {
  readonly cancelled?: CancelRecord | null;
}

/** What is about to be tried. */
interface Attempt {
  readonly by: Trigger;
  readonly chart: ChartAt;
  /** Whether a gate keeps the release at the revision: people chose that one. */
  readonly isGated: boolean;
  /** Whether its values are others than those of the attempt before; absent where that is not known. */
  readonly hasOtherValues?: boolean;
}

/**
 * What people cancelled: the same chart for the same resource is not tried again before something changes, or somebody decides so; also at another commit,
 * which left the chart as it is. It stands in the status of the resource; what this process told counts before it is written there.
 */
export class Cancellations {
  readonly #helm: Pick<HelmPort, 'factsOf'>;
  /** By uid; null where what was cancelled is over. */
  readonly #known = new Map<string, CancelRecord | null>();
  /** What is tried of resources, until it is told what that came to. */
  readonly #tried = new Map<string, RevisionSource>();

  constructor(helm: Pick<HelmPort, 'factsOf'>) {
    this.#helm = helm;
  }

  /** Takes down what looks come to, and tells with it what stays cancelled: until something is tried all the same, was done, or was found as it should be. */
  hearing(notify: (told: CancelReport) => void): (told: SyncReport) => void {
    return (told) => {
      const { resource, outcome, isCancelled, error: message = '' } = told;
      if (outcome === 'remediated') return notify(told); // of the failure before it this was told
      const { uid } = resource;
      const tried = this.#tried.get(uid);
      this.#tried.delete(uid);
      if (isCancelled === true) {
        if (tried !== undefined) this.#known.set(uid, { ...tried, message });
      } else if (!isIdle(outcome) && (tried !== undefined || outcome !== 'failed') && this.#of(resource) !== undefined)
        this.#known.set(uid, null);
      const cancelled = this.#of(resource);
      if (isGone(told)) this.#known.delete(uid);
      if (cancelled === undefined) return notify(told);
      // What is only repeated happened where it was cancelled, wherever the branch is by now.
      notify({ ...told, ...(isCancelled === true && cancelled !== null ? { revision: cancelled.revision } : {}), cancelled });
    };
  }

  /** Throws where exactly this was cancelled, and nobody asks for it. */
  async requireNotCancelled(resource: DeclaredRelease, { by, chart, isGated, hasOtherValues = false }: Attempt): Promise<void> {
    // A chart that cannot be read fails by itself, and says why.
    const content = await this.#helm.factsOf({ chart }).then(
      ({ tree }) => ({ chart: tree }),
      () => ({}),
    );
    const wanted = { revision: chart.revision, ...content, generation: resource.generation };
    const note = this.#of(resource);
    if (note != null && isIdleTrigger(by) && !hasOtherValues && isSame(note, wanted, isGated)) throw new Cancelled(note.message);
    this.#tried.set(resource.uid, wanted);
  }

  /** What stays cancelled of a resource. */
  noteOf(resource: DeclaredRelease): CancelRecord | undefined {
    return this.#of(resource) ?? undefined;
  }

  /** Takes down that a person cancels what is tried of a resource, before it ends; undefined where that is not known. */
  foresee({ uid }: DeclaredRelease, message: string): CancelRecord | undefined {
    const tried = this.#tried.get(uid);
    if (tried === undefined) return undefined;
    const note = { ...tried, message };
    this.#known.set(uid, note);
    return note;
  }

  /** Takes down what a Helm was begun for by an earlier process: until that is told, it counts as tried by this one. */
  inherit({ uid }: DeclaredRelease, madeFrom: RevisionSource): void {
    this.#tried.set(uid, madeFrom);
  }

  #of({ uid, status }: DeclaredRelease): CancelRecord | null | undefined {
    const known = this.#known.get(uid);
    return known === undefined ? readCancel(status) : known;
  }
}

/** By what the chart holds, wherever git has it by now; by its revision where that is all that is known. */
function isSame(one: RevisionSource, other: RevisionSource, isGated: boolean): boolean {
  if (one.generation !== other.generation) return false;
  const isSameRevision = one.revision === other.revision;
  if (one.chart === undefined || other.chart === undefined) return isSameRevision;
  return one.chart === other.chart && (isSameRevision || !isGated);
}

/** What the status of a resource says was cancelled. */
export function readCancel(status: Fields): CancelRecord | undefined {
  const [revision, chart, message = ''] = ['revision', 'chart', 'message'].map((member) => readString(status, 'cancelled', member));
  const generation = readNumber(status, 'cancelled', 'generation');
  if (revision === undefined || generation === undefined) return undefined;
  return { revision, ...(chart === undefined ? {} : { chart }), generation, message };
}

/** A Helm that is under way for a release. */
export interface UnderWay {
  /** Asks it to end for a person, and resolves with its command when it has; undefined where it ended before. */
  cancel(by: string): Promise<string> | undefined;
}

interface Cancelling {
  readonly helm: { underWay(release: ReleaseRef): UnderWay | undefined };
  readonly works: { of(release: ReleaseRef): HelmOperation | undefined };
  readonly cancels: Cancellations;
  readonly resources: Pick<ResourcePort, 'writeStatus'>;
  readonly notify: (told: CancelReport) => void;
  readonly log: Log;
}

/**
 * Ends what Helm does to a release, for a person.
 *
 * 1. That stands in the status before Helm hears of it: a process that is killed meanwhile leaves word. What begins while it is written goes on.
 * 2. Of one that an earlier process of the server began nobody else tells that it was cancelled: of what it was to release, for the spec that it was
 *    begun for, wherever the branch, the gate or the resource is by now, and not at all where nobody knows that.
 */
export function createCancel({ helm, works, cancels, resources, notify, log }: Cancelling) {
  const tell = cancels.hearing(notify);
  return async (resource: DeclaredRelease, by: string): Promise<string | undefined> => {
    const [underWay, work] = [helm.underWay(resource.release), works.of(resource.release)];
    const inherited = isOrphanedOperation(work) ? work?.madeFrom : undefined;
    const { message } = Cancelled.by(by);
    if (inherited !== undefined) cancels.inherit(resource, inherited);
    const note = work?.until === null ? cancels.foresee(resource, message) : undefined;
    if (note !== undefined)
      await resources
        .writeStatus(resource.at, { cancelled: { ...note, chart: note.chart ?? null } })
        .catch((error: unknown) => log.warn({ resource: resource.key, error: messageOf(error) }, 'could not write what was cancelled'));
    const ending = underWay?.cancel(by);
    if (inherited !== undefined && ending !== undefined)
      tell({ resource, by: 'decision', revision: inherited.revision, outcome: 'failed', error: message, isCancelled: true });
    return ending;
  };
}
