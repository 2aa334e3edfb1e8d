import type { ObjectAddress } from '@/lib/kube/object';
import { toObjectId } from '@/lib/kube/object';
import type { Instant } from '@/lib/std/instant';
import type { Clock, Release } from '@/server/platform';
import type { MirrorView } from '../git/mirror-state';
import type { DeclaredRelease } from '../model/declared';
import { awaitsUninstall } from '../model/declared';
import type { FoundDrift } from '../model/drift-policy';
import { releaseKey } from '../model/release';
import type { SyncReport, Trigger } from '../ports';
import { HelmOperations } from './helm-operations';

/** One look of a loop at a release. Looks that came to the same follow each other as one. */
export interface Reconcile {
  /** The last of them. */
  readonly at: Instant;
  /** The first of them. */
  readonly since: Instant;
  readonly times: number;
  readonly by: Trigger;
  readonly outcome: SyncReport['outcome'];
  /** The commit or chart version that was used. */
  readonly revision: string | undefined;
  /** The rule of the specification by which it was decided. */
  readonly rule: string | undefined;
  readonly error: string | undefined;
  /** What differed in the cluster and was put back. */
  readonly putBack?: string | undefined;
  /** The digest of the plan that was not what would be done. */
  readonly seen?: string | undefined;
  /** The branch of its chart, where it was gone upstream. */
  readonly lostBranch?: string | undefined;
  /** The commit that it is at while a person holds it, where the branch did not contain it any more. */
  readonly lostCommit?: string | undefined;
}

/** What was found of drift, and when it was. */
export type NotedDrift = FoundDrift & { readonly at: Instant };

/** How the loops of this process are. */
export type ReconcilesView =
  /** Another replica acts, or none. */
  | { readonly kind: 'elsewhere' }
  | { readonly kind: 'waiting'; readonly why: string; readonly remedy: string | null }
  | {
      readonly kind: 'running';
      /** Since when: what was found before may be so no more. */
      readonly since: Instant;
      /** Why releases of the base kind wait all the same; null where they do not. */
      readonly baseWaits: string | null;
      /** When the next pass over all resources begins; null while one is under way. */
      readonly nextPassAt: Instant | null;
    };

/** What the loops of this process did since it began. */
export interface ReconcileStats {
  /** Dry runs of Helm that compared a release with its chart. */
  readonly dryRuns: number;
  /** Looks that needed none, since nothing had moved. */
  readonly spared: number;
  /** Installs, upgrades, rollbacks and uninstalls. */
  readonly acts: number;
  readonly failures: number;
  /** The repositories that it copies. */
  readonly mirrors: readonly MirrorView[];
}

const MAX_RECONCILES = 20;
const ACTS: readonly SyncReport['outcome'][] = ['installed', 'upgraded', 'rolled-back', 'remediated', 'put-back', 'uninstalled'];

/** What the loops of this process did and do, for the read model: the newest looks at each release. What must outlive the process is on record. */
export class ReconcileHistory {
  /** What Helm does to releases in this process. */
  readonly works: HelmOperations;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #reconciles = new Map<string, readonly Reconcile[]>();
  readonly #drift = new Map<string, NotedDrift>();
  readonly #nextFetch = new Map<string, Instant>();
  readonly #listeners = new Set<(at: ObjectAddress) => void>();
  /** The deleted resources of releases, by release, until Helm has uninstalled them or that has failed. */
  readonly #deletions = new Map<string, ObjectAddress>();
  readonly #figures = { spared: 0, acts: 0, failures: 0 };
  #mirrors: () => readonly MirrorView[] = () => [];
  #view: () => ReconcilesView = () => ({ kind: 'elsewhere' });

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
    this.works = new HelmOperations(clock);
  }

  /** Takes down what one look came to, and tells whether the one before came to the same. Of a resource that is gone nothing is kept. */
  note(told: SyncReport): boolean {
    const { at } = told.resource;
    const { by, outcome, revision, rule, error, seen, putBack, lostBranch, lostCommit } = told;
    this.#count(outcome);
    const now = this.#clock.now();
    const key = toObjectId(at);
    const kept = this.#reconciles.get(key) ?? [];
    const again = repeatedIn(kept, { by, outcome, revision, rule, error, putBack, lostBranch, lostCommit });
    if (isGone(told)) {
      this.#reconciles.delete(key);
      this.#drift.delete(key);
      this.#nextFetch.delete(key);
    } else if (again !== undefined)
      this.#reconciles.set(key, [{ ...again, at: now, times: again.times + 1 }, ...kept.filter((one) => one !== again)]);
    else {
      const reconcile = { at: now, since: now, times: 1, by, outcome, revision, rule, error, seen, putBack, lostBranch, lostCommit };
      this.#reconciles.set(key, [reconcile, ...kept].slice(0, MAX_RECONCILES));
    }
    for (const listener of this.#listeners) listener(at);
    return again !== undefined && again === kept[0];
  }

  /** The newest looks at a release, newest first. */
  reconcilesOf(at: ObjectAddress): readonly Reconcile[] {
    return this.#reconciles.get(toObjectId(at)) ?? [];
  }

  /** Takes down what the live objects of a release of the base kind have otherwise; undefined where that is not compared. */
  noteDrift(at: ObjectAddress, found: FoundDrift | undefined): void {
    const key = toObjectId(at);
    const before = this.#drift.get(key);
    if (found === undefined) this.#drift.delete(key);
    else this.#drift.set(key, { ...found, at: this.#clock.now() });
    if (before?.message !== found?.message || before?.state !== found?.state) for (const listener of this.#listeners) listener(at);
  }

  driftOf(at: ObjectAddress): NotedDrift | undefined {
    return this.#drift.get(toObjectId(at));
  }

  /** Takes down when the repository of a release that could not be fetched is tried again; undefined where it can be, or is being tried. */
  noteNextFetch(at: ObjectAddress, next: Instant | undefined): void {
    const key = toObjectId(at);
    if (this.#nextFetch.get(key) === next) return;
    if (next === undefined) this.#nextFetch.delete(key);
    else this.#nextFetch.set(key, next);
    for (const listener of this.#listeners) listener(at);
  }

  nextFetchOf(at: ObjectAddress): Instant | undefined {
    return this.#nextFetch.get(toObjectId(at));
  }

  /** Does what follows the deletion of the resource of a release; meanwhile that release is known as being uninstalled. */
  async whileDeleting({ release, at }: Pick<DeclaredRelease, 'release' | 'at'>, task: () => Promise<void>): Promise<void> {
    const key = releaseKey(release);
    this.#deletions.set(key, at);
    try {
      await task();
    } finally {
      if (this.#deletions.get(key) === at) this.#deletions.delete(key);
    }
  }

  /** The deleted resources of releases that are being uninstalled for that, by the key of the release. */
  deletions(): ReadonlyMap<string, ObjectAddress> {
    return new Map(this.#deletions);
  }

  /** What they did so far. */
  figures(): ReconcileStats {
    return { dryRuns: this.works.dryRuns, ...this.#figures, mirrors: this.#mirrors() };
  }

  /** How the loops are now. */
  loops(): ReconcilesView {
    return this.#view();
  }

  /** Says from now on how the loops are. */
  follow(view: () => ReconcilesView): void {
    this.#view = view;
  }

  /** Says from now on how the mirrors of this process are. */
  followMirrors(mirrors: () => readonly MirrorView[]): void {
    this.#mirrors = mirrors;
  }

  /** Hears of every look, and of drift that is another. */
  onReconcile(listener: (at: ObjectAddress) => void): Release {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #count(outcome: SyncReport['outcome']): void {
    if (outcome === 'unmoved') this.#figures.spared++;
    else if (outcome === 'failed') this.#figures.failures++;
    else if (ACTS.includes(outcome)) this.#figures.acts++;
  }
}

/** Whether the resource of a look goes with it; one that could not be uninstalled stays where a finalizer holds it. */
export function isGone({ resource, by, outcome }: Pick<SyncReport, 'resource' | 'by' | 'outcome'>): boolean {
  return by === 'deletion' && !(outcome === 'failed' && awaitsUninstall(resource));
}

type Told = Pick<Reconcile, 'by' | 'outcome' | 'revision' | 'rule' | 'error' | 'putBack' | 'lostBranch' | 'lostCommit'>;

/** The look that is repeated: the newest, or the one before it where attempts fail and Helm goes back after each. */
function repeatedIn([newest, before]: readonly Reconcile[], told: Told): Reconcile | undefined {
  if (newest === undefined || isSame(newest, told)) return newest;
  const isRound = before !== undefined && isAttempt(newest, before) && isSame(before, told);
  return isRound ? before : undefined;
}

const isAttempt = (...pair: readonly Reconcile[]) => ['failed', 'remediated'].every((kind) => pair.some(({ outcome }) => outcome === kind));

function isSame(look: Reconcile, other: Told): boolean {
  return (
    look.by === other.by &&
    look.outcome === other.outcome &&
    look.revision === other.revision &&
    look.rule === other.rule &&
    look.error === other.error &&
    look.putBack === other.putBack &&
    look.lostBranch === other.lostBranch &&
    look.lostCommit === other.lostCommit
  );
}
