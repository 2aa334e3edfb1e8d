import type { Fields } from '@/lib/kube/fields';
import type { ObjectAddress, ObjectKey, TypeRef } from '@/lib/kube/object';
import type { ReconcileTrigger } from '@/lib/words/release-message';
import type { Attempted } from './gate/pinned';
import type { BaseRelease, DeclaredRelease, ExtendedRelease, Mark } from './model/declared';
import type { DependencyAccess } from './model/dependency-secrets';
import type { Deviation } from './model/drift-policy';
import type { GitChart, RepositoryChart, RollbackPolicy, TestPolicy } from './model/extended-spec';
import type { Impersonation } from './model/impersonation';
import type { ChartAt, DryRunResult, FetchedDependency, HelmStatus, ReleaseRef, RevisionEntry, StoredRevision } from './model/release';
import type { ChartAtCommit, ChartsQuery } from './preview/charts-of-commits';
import type { ValuesReader } from './values/resolve';

/** An event that is recorded about a resource. */
export interface ResourceEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason:
    | 'ChartSynced'
    | 'ReleaseSynced'
    | 'FailedReleaseSync'
    | 'DependencyNotReady'
    | 'ApprovalRequired'
    | 'ReleaseDrifted'
    | 'PlanMoved'
    | 'UninstallFailed'
    | 'FetchFailed'
    | 'Fetched';
  readonly message: string;
}

/** The cluster as chart sync sees it: resources that declare releases, and what they name. */
export interface ResourcePort extends Pick<ValuesReader, 'readData'> {
  listNamespaces(signal: AbortSignal): Promise<readonly string[]>;
  /** The resources of every kind in one namespace, in the order of the API. */
  listResources(namespace: string, signal: AbortSignal): Promise<readonly DeclaredRelease[]>;
  /** Whether nothing is to be done for a kind: its definition drops what must be remembered of its resources. */
  isStopped(type: TypeRef): boolean;
  /** The resource as it is now; undefined when it is gone. */
  read(at: ObjectAddress): Promise<DeclaredRelease | undefined>;
  /** The resources that name a release, whatever their kind. */
  claimants(release: ReleaseRef): Promise<readonly DeclaredRelease[]>;
  /** A HelmRelease of a group as it was last heard of; undefined where there is none. */
  copyOf(type: TypeRef, key: ObjectKey): ExtendedRelease | undefined;
  writeStatus(at: ObjectAddress, status: Fields): Promise<void>;
  recordEvent(at: ObjectAddress, event: ResourceEvent): Promise<void>;
  /** Has the resource stay, when it is deleted, until its release is uninstalled; one that is being deleted is left as it is. */
  addFinalizer(at: ObjectAddress): Promise<void>;
  /** Lets the resource go. */
  removeFinalizer(at: ObjectAddress): Promise<void>;
}

/** What an install or an upgrade is made of. */
export interface ReleaseRequest {
  readonly release: ReleaseRef;
  readonly onBehalfOf: Impersonation;
  /** Of the resource that it is made for. */
  readonly generation: number;
  readonly chart: ChartAt;
  /** The complete user values of the revision. */
  readonly values: Fields;
  readonly timeoutSeconds: number;
  readonly maxHistory: number;
  readonly wait: boolean;
  readonly force: boolean;
  readonly skipCRDs: boolean;
  /** Whether an install makes the namespace of the release where it is missing. */
  readonly createNamespace: boolean;
  readonly disableOpenAPIValidation: boolean;
  /** False to lay the values over those of the newest revision. */
  readonly resetValues: boolean;
  /** Asked when it is Helm's turn, before it begins to change anything: throws why it may not any more. */
  readonly mayBegin?: () => Promise<void>;
}

/** A release that is acted on without a chart. */
export interface ReleaseAct {
  readonly release: ReleaseRef;
  readonly onBehalfOf: Impersonation;
}

/** Helm: its storage, and its acts. Whatever Helm refuses is thrown with Helm's own words, values masked. */
export interface HelmPort {
  /** The newest stored revision, whatever its state; undefined when there is none. Any other trouble throws. */
  readNewest(release: ReleaseRef): Promise<StoredRevision | undefined>;
  /** The state of the newest stored revision of each release of a namespace that can be read, by name, without their content. */
  readStates(namespace: string): Promise<ReadonlyMap<string, HelmStatus>>;
  /** All stored revisions, oldest first. */
  readHistory(release: ReleaseRef): Promise<readonly RevisionEntry[]>;
  readRevision(release: ReleaseRef, revision: number): Promise<StoredRevision>;
  /** Everything that a dry run's answer hangs on beside the values and the cluster: the chart with its dependencies, Helm, and who asks. */
  fingerprint(request: ReleaseRequest): Promise<string>;
  /** The digest of the chart with its dependencies, and which Helm releases it. */
  factsOf(request: Pick<ReleaseRequest, 'chart'>): Promise<{ readonly tree: string; readonly version: string }>;
  /** Renders the upgrade on the server without making it, under the release's own name (R-1B-10). */
  dryRun(request: ReleaseRequest): Promise<DryRunResult>;
  /** Refuses a name that is in use. With `kept`, one whose newest revision is uninstalled is free. */
  install(request: ReleaseRequest, options: { readonly kept: boolean }): Promise<void>;
  /** Never installs (R-2-7). */
  upgrade(request: ReleaseRequest): Promise<void>;
  rollback(act: ReleaseAct, to: number, policy: RollbackPolicy): Promise<void>;
  /** Deletes its objects and its history; its hooks run unless they are not wanted. */
  uninstall(act: ReleaseAct, options?: { readonly hooks: boolean }): Promise<void>;
  test(request: ReleaseRequest, policy: TestPolicy): Promise<void>;
  /** True when dependencies are declared that do not lie in the chart. */
  lacksDependencies(chart: ChartAt): Promise<boolean>;
  /** The chart with the dependencies that it declares, in a place of its own, fetched with the credentials that the resource names; anew where others are wanted. */
  buildDependencies(chart: ChartAt, access: DependencyAccess, wanted?: readonly FetchedDependency[]): Promise<ChartAt>;
}

/** The live objects of a release. */
export interface ObjectsPort {
  /** Marks every object of the newest revision (R-ANN-1). */
  mark(act: ReleaseAct, mark: Mark): Promise<void>;
  /** What the first object of the stored manifest is marked with; undefined for no mark. */
  readMark(act: ReleaseAct, annotation: string): Promise<string | undefined>;
  /** In what the live objects differ from the stored manifest; asks only, writes nothing. */
  findDrift(act: ReleaseAct): Promise<readonly Deviation[]>;
  correctDrift(act: ReleaseAct, deviations: readonly Deviation[]): Promise<void>;
}

/** One exported commit. */
export interface WorkingCopy {
  readonly revision: string;
  readonly folder: string;
  /** What its files take. */
  readonly bytes: number;
  /** What is at a path, whatever links within the copy lead there; a link is one that leads out of the copy or nowhere; undefined for nothing. */
  kindOf(path: string): Promise<'folder' | 'file' | 'link' | undefined>;
  /** Whether links lie on the way to a path or below it: commits to what they lead to need not touch the path. */
  hasLinks(path: string): boolean;
  /** Removes it from disk. */
  remove(): Promise<void>;
}

/** Questions to a mirror of a git repository. */
export interface GitQueries {
  /** The commit that a branch is at. */
  revision(ref: string, signal: AbortSignal): Promise<string>;
  /** Resolves once a fetch that began from now on has ended, whatever it came to. */
  fetched(signal: AbortSignal): Promise<void>;
  /** Whether a branch that was asked for is gone upstream, by the last fetch; it stays at its last commit here. */
  isGone(ref: string): boolean;
  /** The commits after `from` up to `to` that touched a path, newest first. */
  commitsBetween(
    range: { readonly from: string; readonly to: string; readonly path: string },
    signal: AbortSignal,
  ): Promise<readonly string[]>;
  /** The newest commits up to `head` that touched a path, newest first. */
  commitsOn(
    question: { readonly head: string; readonly path: string; readonly most: number },
    signal: AbortSignal,
  ): Promise<readonly Commit[]>;
  export(revision: string, signal: AbortSignal): Promise<WorkingCopy>;
  /** What is known of a commit; undefined for one that is not there. */
  facts(question: CommitQuery, signal: AbortSignal): Promise<CommitFacts | undefined>;
  /** What a path holds at several commits, and which of them contain another. */
  charts(question: ChartsQuery, signal: AbortSignal): Promise<readonly ChartAtCommit[]>;
  /** The commit that is kept under a name. */
  kept(name: string, signal: AbortSignal): Promise<string | undefined>;
  /** Keeps a commit under a name, whatever becomes of the branch. */
  keep(name: string, commit: string, signal: AbortSignal): Promise<void>;
}

/** A commit, the head of the branch that it may be on, and the path of a chart. */
export interface CommitQuery {
  readonly commit: string;
  readonly head: string;
  readonly path: string;
}

export interface CommitFacts {
  /** The content of the path at the commit, as git names it; undefined where it is no folder there. */
  readonly chart: string | undefined;
  /** The newest commit up to this one that touched the path; undefined where none did. */
  readonly last: Commit | undefined;
  readonly isOnBranch: boolean;
}

/** A commit that somebody approves. */
export interface ApprovableCommit extends CommitFacts {
  /** The commit that was approved last, where the branch contains it and this one does not: the release would go back. */
  readonly lacks: string | undefined;
}

/** A commit as its author wrote it, and when it was committed: ISO text. */
export interface Commit {
  readonly commit: string;
  readonly subject: string;
  readonly author: string;
  readonly at: string;
}

/** What the version of a chart leads to, and where its release stands. */
export interface Pulled {
  readonly found: ChartAt;
  /** What the status says of the last attempt. */
  readonly attempted: Attempted;
  /** Whether the resource was changed since: what it names then is not held. */
  readonly isChanged: boolean;
}

/** The chart that a release goes to, or why it waits. */
export type GatedChart = { readonly chart: ChartAt } | { readonly waits: string };

/** What keeps commits from releases until people approve them. */
export interface GatePort {
  /**
   * The commit that a release is kept at; null before the first approval, undefined where no gate is in force, and where the chart has no commits.
   * What is demanded now is kept from here on. Throws while nobody can tell.
   */
  commitFor(resource: DeclaredRelease, signal: AbortSignal): Promise<string | null | undefined>;
  /** Throws where a commit that a release is about to go to is not the one that it is kept at any more, by what its branch is upstream at this moment. */
  requireCommit(resource: DeclaredRelease, commit: string, signal: AbortSignal): Promise<void>;
  /** Of a release that a person holds: the commit that it is at, where the branch does not contain it any more. What the gate says is brought up to date. */
  lostWhileHeld(resource: DeclaredRelease, signal: AbortSignal): Promise<string | undefined>;
  /** The dependencies that were approved with the commit that a release is kept at; undefined where none were, or no gate is in force. */
  dependenciesFor(resource: ExtendedRelease): readonly FetchedDependency[] | undefined;
  /** The chart that a release goes to whose chart is pulled, or why it waits; comes after `commitFor`. */
  archiveFor(resource: ExtendedRelease, pulled: Pulled): Promise<GatedChart>;
  /** Whether one was in force when it was last looked at. */
  isGated(resource: DeclaredRelease): boolean;
  /** Forgets a resource that is gone. */
  forget(resource: DeclaredRelease): void;
}

/** Why an act that was decided is not run. */
export type SkippedRun =
  /** What it would do is not what somebody saw of it. */
  | { readonly outcome: 'plan-moved'; readonly error: string; readonly seen: string }
  /** The resource changed meanwhile. */
  | { readonly outcome: 'dropped' };

/** What holds chart sync to what people saw of a change before they made it. */
export interface PlanPort {
  /** Runs an act with a request as somebody saw it, or not at all; undefined where it ran. What was seen is spent once the act has begun. */
  run(resource: DeclaredRelease, request: ReleaseRequest, act: () => Promise<void>): Promise<SkippedRun | undefined>;
  /** Forgets what was seen of a change that there is nothing to do for. */
  clearPreviewedPlan(resource: DeclaredRelease): Promise<void>;
}

/** What the server itself may do for releases. */
export interface GrantPort {
  /** Why it may not act on the release of a resource yet, and the command that grants it; undefined where it may. */
  why(resource: DeclaredRelease): Promise<string | undefined>;
  /** The same of what nobody waits for yet, as a preview. */
  predict(resource: Pick<DeclaredRelease, 'onBehalfOf' | 'release'>): Promise<string | undefined>;
  /** Whether it was found to wait for a grant when it was last looked at. */
  isWaiting(resource: DeclaredRelease): boolean;
  /** A resource that is gone waits for nothing. */
  forget(resource: DeclaredRelease): void;
}

/** Where the charts of the later kinds come from. */
export interface ChartSources {
  /** The mirror of a repository, made when it is first asked for; it is not ready then. Throws a sentence for an address that is not taken. */
  mirrorOf(chart: GitChart, who: Impersonation): GitQueries & { readonly id: string };
  /** Lets go of what serves none of these resources, which are all that there are; folders that somebody reads stay until nobody does. */
  keep(resources: readonly ExtendedRelease[], isRead: (folder: string) => boolean): Promise<void>;
  /** A chart of a Helm repository or registry, and the revision it counts as. */
  pull(chart: RepositoryChart, who: Impersonation): Promise<ChartAt>;
}

/** What one look at a release came to: what the time line, metrics and tests hear. */
export interface SyncReport {
  readonly resource: BaseRelease | ExtendedRelease;
  readonly by: Trigger;
  readonly revision: string | undefined;
  readonly outcome:
    | 'installed'
    | 'upgraded'
    | 'equal'
    | 'unmoved'
    | 'rolled-back'
    /** Helm went back, since the upgrade or its test failed: told after the failure, with its error and what was gone back to. */
    | 'remediated'
    | 'put-back'
    | SkippedRun['outcome']
    | 'held'
    | 'gated'
    | 'waits'
    | 'uninstalled'
    | 'left'
    | 'failed';
  readonly isAttempted?: boolean; // of the base kind: its commit counts as attempted
  /** The rule of spec/chartsync by which it was decided, as far as it came to that. */
  readonly rule?: string;
  readonly error?: string;
  readonly isCancelled?: boolean; // by a person, and it failed for that
  /** What differed in the cluster and was put back. */
  readonly putBack?: string;
  /** The digest of the plan that somebody saw, where it is not what would be done. */
  readonly seen?: string;
  /** The branch of its chart, where it is gone upstream. */
  readonly lostBranch?: string;
  /** The commit that a held release is at, where the branch does not contain it any more. */
  readonly lostCommit?: string;
}

/** What made the engine look at a release. */
export type Trigger = ReconcileTrigger;
