import { messageOf } from '@/lib/contract/app-error';
import type { RecordEntry } from '@/lib/contract/record-entry';
import type { Fields } from '@/lib/kube/fields';
import { readField, readString } from '@/lib/kube/fields';
import { deepEqual } from '@/lib/std/deep-equal';
import type { Instant } from '@/lib/std/instant';
import { toKubeTime } from '@/lib/std/instant';
import { shortRevision, TRIGGER_WORDS } from '@/lib/words/format-release';
import type { Clock, Ids, Log } from '@/server/platform';
import { withTimeout } from '@/server/platform';
import type { CancelReport } from '../decisions/cancellations';
import { readCancel } from '../decisions/cancellations';
import type { CausingDecision } from '../decisions/causing-decision';
import type { ReconcileHistory } from '../describe/reconcile-history';
import { isGone } from '../describe/reconcile-history';
import { isIdle } from '../describe/released-at';
import type { Identities } from '../identities';
import type { DeclaredRelease } from '../model/declared';
import { noAccountReason } from '../model/impersonation';
import type { StoredRevision } from '../model/release';
import { releaseKey } from '../model/release';
import type { Commit, HelmPort, ResourcePort, SyncReport } from '../ports';

interface ReconcileRecorderDeps {
  readonly journal: Pick<ReconcileHistory, 'note'>;
  readonly helm: Pick<HelmPort, 'readNewest'>;
  readonly resources: Pick<ResourcePort, 'writeStatus'>;
  readonly identities: Pick<Identities, 'accountOf'>;
  /** The decision that made the engine act, where one did. */
  readonly behind: (resource: DeclaredRelease) => CausingDecision | undefined;
  /** The newest commit up to a revision that touched the chart; undefined for a chart that is pulled. */
  readonly commitOf: (resource: DeclaredRelease, revision: string, signal: AbortSignal) => Promise<Commit | undefined>;
  /** Ends what is still read. */
  readonly signal: AbortSignal;
  readonly record: (entry: RecordEntry) => Promise<void>;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly log: Log;
}

/** Letters of what a chart says of itself, which may have megabytes, for which a status has no room. */
const MAX_CHART_TEXT = 256;
/** A copy of a status is behind for less: one that says something else later was changed by somebody. */
const BEHIND_MS = 60_000;
/** In a long history git walks for a while; an act is on record no later than this. */
const COMMIT_LIMIT_MS = 10_000;

/** An act on a release, as its status and the record tell it. */
interface Act {
  readonly at: string;
  readonly by: SyncReport['by'];
  readonly outcome: SyncReport['outcome'];
  readonly revision: string | null;
  readonly storedRevision: number | null;
  readonly commit: Commit | null;
  readonly decision: CausingDecision | null;
}

/** What a release is at, or follows, that its repository has no more. */
interface Lost {
  readonly branch: string | undefined;
  readonly commit: string | undefined;
}

/** What this process wrote of that. */
interface WrittenLost extends Lost {
  readonly at: Instant;
}

/** What an act came to, as far as it is known. */
interface Found {
  readonly newest: StoredRevision | undefined;
  readonly commit: Commit | undefined;
}

const ACTED: readonly SyncReport['outcome'][] = ['installed', 'upgraded', 'rolled-back', 'remediated', 'put-back'];
/** What comes to the same again is told once: somebody may change an object again and again. */
const TOLD_ONCE: readonly SyncReport['outcome'][] = ['failed', 'plan-moved', 'put-back'];

/**
 * Notes what looks at releases came to where it outlives the process and every replica finds it: who acted last, what failed and what chart
 * is released stand in the status of the resource, acts and new failures on record. A look that finds nothing to do writes nothing.
 */
export class ReconcileRecorder implements AsyncDisposable {
  readonly #deps: ReconcileRecorderDeps;
  readonly #writing = new Set<Promise<void>>();
  /** What the status is to say is lost, by uid, since this process wrote it a moment ago: the copy of the status may be behind. */
  readonly #lost = new Map<string, WrittenLost>();

  constructor(deps: ReconcileRecorderDeps) {
    this.#deps = deps;
  }

  /** Takes down one look. */
  readonly take = (told: CancelReport): void => {
    const isRepeated = this.#deps.journal.note(told);
    // The copy of its status may be behind, so what this process saw a moment ago counts as well.
    if (isRepeated && TOLD_ONCE.includes(told.outcome) && !isCancelMoved(told)) return;
    const writing = this.#write(told).catch((error: unknown) =>
      this.#deps.log.warn({ resource: told.resource.key, error: messageOf(error) }, 'could not record the outcome of a reconciliation'),
    );
    this.#writing.add(writing);
    void writing.finally(() => this.#writing.delete(writing));
  };

  /** Resolves once everything is written. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#writing);
  }

  async #write(told: CancelReport): Promise<void> {
    const { resource, outcome } = told;
    // Where the process dies before it is on record nothing tells of it, so both are read at once.
    const [newest, commit] = ACTED.includes(outcome) ? await Promise.all([this.#readNewest(told), this.#readCommit(told)]) : [];
    const act = ACTED.includes(outcome) ? this.#actOf(told, { newest, commit }) : undefined;
    const gone = isGone(told);
    if (act !== undefined || gone || (outcome === 'failed' && isNewFailure(told))) await this.#record(told, { act, newest });
    if (gone) {
      this.#lost.delete(resource.uid);
      return;
    }
    const lost = this.#lostOf(told);
    const cancelled = isCancelMoved(told)
      ? { cancelled: told.cancelled && { ...told.cancelled, chart: told.cancelled.chart ?? null } }
      : {};
    try {
      const changes = { ...(await this.#changesOf(told, { newest, act })), ...lost, ...cancelled, ...attemptOf(told) };
      if (Object.keys(changes).length > 0) await this.#deps.resources.writeStatus(resource.at, changes);
    } catch (error) {
      this.#lost.delete(resource.uid); // what it says is not known any more
      throw error;
    }
  }

  /** Told once, however often looks find it. */
  #lostOf(told: SyncReport): Fields {
    const { uid, status } = told.resource;
    const now = this.#deps.clock.now();
    const written = this.#lost.get(uid);
    const known: Lost =
      written !== undefined && written.at <= now && now < written.at + BEHIND_MS
        ? written
        : { branch: readString(status, 'lostBranch', 'branch'), commit: readString(status, 'lostCommit', 'commit') };
    const { lostBranch: branch, lostCommit } = told;
    const commit = told.outcome === 'failed' ? known.commit : lostCommit; // what failed to look says nothing of it
    if (known.branch === branch && known.commit === commit) return {};
    this.#lost.set(uid, { branch, commit, at: now });
    return { ...this.#lostBranchOf(told, known.branch), ...this.#lostCommitOf(commit, known.commit) };
  }

  /** What was done, and what it can be found by later. */
  #actOf({ resource, by, outcome, revision }: SyncReport, { newest, commit }: Found): Act {
    const at = toKubeTime(this.#deps.clock.now());
    const decision = by === 'decision' ? this.#deps.behind(resource) : undefined;
    return {
      at,
      by,
      outcome,
      revision: revision ?? null,
      storedRevision: newest?.revision ?? null,
      commit: commit ?? null,
      decision: decision ?? null,
    };
  }

  /** A mirror that cannot be asked now says nothing of the commit; the act is told all the same. */
  async #readCommit({ resource, revision }: SyncReport): Promise<Commit | undefined> {
    if (revision === undefined) return undefined;
    const { clock, signal, commitOf } = this.#deps;
    const limit = { clock, ms: COMMIT_LIMIT_MS, signal, what: 'git: the commit of a chart' };
    return withTimeout(limit, (left) => commitOf(resource, revision, left)).catch(() => undefined);
  }

  #readNewest({ resource }: SyncReport): Promise<StoredRevision | undefined> {
    return this.#deps.helm.readNewest(resource.release).catch(() => undefined); // told as unknown
  }

  async #changesOf(
    told: CancelReport,
    done: { readonly newest: StoredRevision | undefined; readonly act: Act | undefined },
  ): Promise<Fields> {
    const { resource, by, outcome, revision, error, seen, cancelled } = told;
    const at = toKubeTime(this.#deps.clock.now());
    if (outcome === 'failed') return isNewFailure(told) ? { failure: { at, by, revision: revision ?? null, message: error ?? '' } } : {};
    if (outcome === 'plan-moved') return { planMoved: { at, seen, message: error ?? '' } };
    const isTold = (member: string) => readField(resource.status, member) !== undefined;
    const isLeft = cancelled != null && isIdle(outcome); // and it would be told as new by the look that comes upon it again
    const mended =
      outcome === 'remediated'
        ? {}
        : { ...(isTold('failure') && !isLeft ? { failure: null } : {}), ...(isTold('planMoved') ? { planMoved: null } : {}) };
    if (outcome === 'waits') return mended;
    const { act } = done;
    if (act === undefined && isTold('chart')) return mended;
    const newest = done.newest ?? (await this.#readNewest(told));
    if (newest === undefined) return mended;
    const { name, version, appVersion } = newest.chart.metadata;
    const chart = { name: textOf(name), version: textOf(version), appVersion: textOf(appVersion) };
    return { ...mended, chart, ...(act === undefined ? {} : { lastAct: act }) };
  }

  /** Only the process that fetches knows of a branch that is gone: the others are told by the status. */
  #lostBranchOf({ lostBranch, revision }: SyncReport, known: string | undefined): Fields {
    if (known === lostBranch) return {};
    if (lostBranch === undefined) return { lostBranch: null };
    return { lostBranch: { at: toKubeTime(this.#deps.clock.now()), branch: lostBranch, revision: revision ?? null } };
  }

  /** Only the process that looks knows of a held commit that is gone. */
  #lostCommitOf(commit: string | undefined, known: string | undefined): Fields {
    if (known === commit) return {};
    return { lostCommit: commit === undefined ? null : { at: toKubeTime(this.#deps.clock.now()), commit } };
  }

  async #record(told: SyncReport, { act, newest }: Pick<Found, 'newest'> & { readonly act: Act | undefined }): Promise<void> {
    const { record, ids, clock, identities } = this.#deps;
    const { resource, by, outcome, revision, rule } = told;
    const evidence = { ...(revision === undefined ? {} : { revision }), ...(rule === undefined ? {} : { rule }) };
    const { release, onBehalfOf } = resource;
    const as = noAccountReason(onBehalfOf) === undefined ? { as: identities.accountOf(onBehalfOf) ?? null } : {};
    const found = act === undefined ? {} : { storedRevision: act.storedRevision, commit: act.commit, decision: act.decision };
    const data = { by, outcome, release, ...as, ...evidence, ...found };
    await record({
      id: idOf(told, newest) ?? ids.uuid(),
      at: clock.now(),
      actor: 'slipway',
      action: `release.${outcome}`,
      about: resource.at,
      message: sentenceOf(told),
      data,
    });
  }
}

/** Helm goes back once: a process that ended before the status told of it leaves that to be told again, and an id is on record once. */
function idOf({ resource: { uid, release }, outcome }: SyncReport, newest: StoredRevision | undefined): string | undefined {
  if (outcome !== 'remediated' || newest === undefined) return undefined;
  return ['release.remediated', uid, releaseKey(release), newest.revision, newest.storedAt ?? ''].join(':');
}

/** Which commit the base kind attempted last; the later kinds keep that themselves. */
function attemptOf({ resource: { profile, status }, isAttempted, revision }: SyncReport): Fields {
  const isNews = isAttempted === true && readString(status, 'lastAttempt', 'revision') !== revision;
  return profile === 'base' && isNews && revision !== undefined ? { lastAttempt: { revision } } : {};
}

/** What fails again as it did before is told once. */
function isNewFailure(told: CancelReport): boolean {
  const {
    resource: { status },
    revision,
    error,
  } = told;
  return (
    (told.isCancelled === true && isCancelMoved(told)) ||
    readString(status, 'failure', 'message') !== (error ?? '') ||
    (readString(status, 'failure', 'revision') ?? undefined) !== revision
  );
}

/** Whether the status does not tell yet what stays cancelled, or tells what does not any more. */
function isCancelMoved({ resource: { status }, cancelled }: CancelReport): boolean {
  if (cancelled === undefined) return false;
  const kept = readCancel(status);
  if (cancelled === null) return readField(status, 'cancelled') !== undefined;
  // A definition of the kind that is older keeps all of it but the chart.
  return kept === undefined || !deepEqual({ ...kept, chart: kept.chart ?? cancelled.chart }, { ...cancelled, chart: cancelled.chart });
}

function sentenceOf({ resource: { release }, by, outcome, revision, error, putBack }: SyncReport): string {
  const at = revision === undefined ? '' : ` at ${shortRevision(revision)}`;
  const to = revision === undefined ? '' : ` to ${shortRevision(revision)}`;
  const what = `release ${release.name} in ${release.namespace}`;
  if (outcome === 'failed') return `${TRIGGER_WORDS[by]}: ${what} failed${at}: ${error ?? ''}`;
  if (outcome === 'left' && error !== undefined) return `${TRIGGER_WORDS[by]}: ${what} was left as it is: ${error}`;
  if (outcome === 'put-back') return `${TRIGGER_WORDS[by]}: live objects of ${what} were reverted: ${putBack ?? ''}`;
  if (outcome === 'remediated') return `${TRIGGER_WORDS[by]}: ${what} was rolled back${to}, since the attempt failed: ${error ?? ''}`;
  if (outcome === 'rolled-back') return `${TRIGGER_WORDS[by]}: ${what} was rolled back${to}`;
  return `${TRIGGER_WORDS[by]}: ${what} was ${outcome}${at}`;
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value.slice(0, MAX_CHART_TEXT) : null;
}
