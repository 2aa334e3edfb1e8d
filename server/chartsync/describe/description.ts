import type { ReleaseVerb } from '@/lib/contract/release-decision';
import type { KeptGate } from '@/lib/contract/release-gate';
import type { ReleaseState } from '@/lib/contract/release-state';
import type { ObjectAddress } from '@/lib/kube/object';
import type { Instant } from '@/lib/std/instant';
import type { Given, ReconcileTrigger, ReleaseMessage } from '@/lib/words/release-message';
import type { DescribedCondition } from '@/server/status';
import type { Hold } from '../decisions/hold';
import type { DeclaredRelease } from '../model/declared';
import type { ReleaseRef, RevisionEntry } from '../model/release';
import type { Commit } from '../ports';
import type { GitHook } from '../webhooks/git-hook';
import type { HelmOperation, RunningHelm } from './helm-operations';
import type { NotedDrift, Reconcile, ReconcilesView } from './reconcile-history';

/** Everything that the description of one release rests on. */
export interface ReleaseObservation {
  readonly resource: DeclaredRelease;
  readonly uid: string;
  /** The resource that has the release where it is another one. */
  readonly holder: ObjectAddress | undefined;
  /** The resource that has it once this one is deleted. */
  readonly heir: ObjectAddress | undefined;
  readonly hold: Hold | undefined;
  /** What tells of pushes to its repository; undefined where no Secret is named for that. */
  readonly webhook: GitHook | undefined;
  /** What keeps commits from it until people approve them. */
  readonly gate: KeptGate | undefined;
  /** Who approved the commit that waits there, each once. */
  readonly approvers: readonly string[];
  /** The newest revision that Helm stored, as it is watched; undefined where none is, or nobody may tell. */
  readonly newest: RevisionEntry | undefined;
  /** How many revisions it stored, as they are watched; undefined where nobody may tell. */
  readonly revisions: number | undefined;
  /** What this process found of its drift, of the base kind; undefined where another one looks, or nobody. */
  readonly drift: NotedDrift | undefined;
  /** When its repository, which could not be fetched, is tried again; undefined where it can be, or another replica would know. */
  readonly nextFetchAt: Instant | undefined;
  /** What Helm does to it in this process, or did last. */
  readonly work: HelmOperation | undefined;
  /** Where it waits for its turn: the Helms that run. */
  readonly running: readonly RunningHelm[];
  /** What the loops of this process did about it, newest first. */
  readonly reconciles: readonly Reconcile[];
  readonly loops: ReconcilesView;
  /** The ServiceAccount of the resource's namespace that acts; null where the server itself does. */
  readonly account: string | null;
  /** Why the engine does not drive releases in this cluster; null where it does. */
  readonly standing: string | null;
}

/** An act of chart sync on a release, as its resource tells it. */
export interface ReleaseAct {
  readonly at: string;
  readonly by: ReconcileTrigger | null;
  readonly outcome: string;
  readonly revision: string | null;
  /** The number of the revision that Helm stored. */
  readonly storedRevision: number | null;
  /** The newest commit up to the revision that touched the chart; null for a chart that is pulled. */
  readonly commit: Commit | null;
  /** The people whose decision it was; none where no decision made it act. */
  readonly users: readonly string[];
}

/** Where the chart comes from, without credentials. */
export type ChartOrigin =
  | { readonly kind: 'git'; readonly url: string | null; readonly ref: string | null; readonly path: string }
  | { readonly kind: 'repository'; readonly url: string; readonly name: string; readonly version: string };

/** An act of a person: why it is not possible now, or null, and what it does. */
export interface DescribedAct {
  readonly verb: ReleaseVerb;
  readonly why: ReleaseMessage | null;
  readonly consequences: readonly ReleaseMessage[];
}

/** A gate before commits, and how far the commit that waits has come. */
export interface DescribedGate extends KeptGate {
  /** Who approved what waits so far. */
  readonly approvers: readonly string[];
  /** The same with what is missing, as every sentence about it says it. */
  readonly given: Given;
  /** What a decision that demands less names, where less is asked for. */
  readonly loosening: string | null;
}

/** What a person is told of one release. */
export interface ReleaseDescription {
  readonly at: ObjectAddress;
  readonly uid: string;
  readonly generation: number;
  readonly release: ReleaseRef;
  readonly profile: DeclaredRelease['profile'];
  readonly state: ReleaseState;
  /** Why it is in that state. */
  readonly says: ReleaseMessage;
  /** What keeps the loops from looking at it; null where nothing does. */
  readonly waits: ReleaseMessage | null;
  /** Whether it was upgraded by the last look, or why not. */
  readonly upgrade: ReleaseMessage;
  /** That the branch of its chart is gone upstream; null where it is not, and where this process does not look. */
  readonly goneBranch: ReleaseMessage | null;
  /** Why a change that somebody previewed is not released; null where none waits. */
  readonly outdatedPlan: string | null;
  readonly origin: ChartOrigin;
  /** As whom Helm runs: a ServiceAccount of the resource's namespace, or null for the server; and whether the resource names it. */
  readonly actsAs: { readonly account: string | null; readonly named: boolean };
  /** The chart that is released, as Helm stored it; null where that was not told. */
  readonly chart: { readonly name: string; readonly version: string; readonly appVersion: string | null } | null;
  /** The commit or chart version that is released or was attempted last. */
  readonly revision: string | null;
  /** That it was attempted and is not released; false also where nobody knows. */
  readonly onlyAttempted: boolean;
  /** The commit of the chart that is released at that revision; null where that is not known. */
  readonly commit: Commit | null;
  /** What Helm's storage says of the newest revision, and its number. */
  readonly stored: string | null;
  readonly storedRevision: number | null;
  readonly lastAct: ReleaseAct | null;
  readonly drift: { readonly state: 'none' | 'drifted' | 'unknown'; readonly says: ReleaseMessage };
  /** When it began to fail as it does; null where it does not. */
  readonly failedAt: string | null;
  readonly nextCheckAt: Instant | null;
  readonly hold: Hold | null;
  /** The other resource that declares it, for which Helm does not uninstall it when this one is deleted. */
  readonly heir: ObjectAddress | null;
  readonly webhook: Pick<GitHook, 'id' | 'secret'> | null;
  readonly gate: DescribedGate | null;
  /** What Helm does to it or did last; only the process that runs it knows. */
  readonly work: HelmOperation | 'elsewhere' | null;
  /** What a person may decide, verb by verb: why not, or what it does. */
  readonly acts: readonly DescribedAct[];
  readonly conditions: readonly DescribedCondition[];
  readonly reconciles: readonly Reconcile[];
}

/** What a line about a release tells of it. */
export type ReleaseSummary = Pick<
  ReleaseDescription,
  | 'at'
  | 'release'
  | 'state'
  | 'says'
  | 'waits'
  | 'chart'
  | 'revision'
  | 'commit'
  | 'lastAct'
  | 'drift'
  | 'failedAt'
  | 'nextCheckAt'
  | 'gate'
  | 'goneBranch'
>;
