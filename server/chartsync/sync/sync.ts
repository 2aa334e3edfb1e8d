import type { Fields } from '@/lib/kube/fields';
import { readNumber, readString } from '@/lib/kube/fields';
import type { Clock } from '@/server/platform';
import type { RetainedCharts } from '../exports/shared-exports';
import { contentDigest } from '../gate/chart-identity';
import type { Attempted } from '../gate/pinned';
import type { DeclaredRelease, ExtendedRelease } from '../model/declared';
import type { ChartAt, StoredRevision } from '../model/release';
import type { ChartSources, ReleaseRequest, ResourcePort, Trigger } from '../ports';
import type { ReleasingDeps } from '../releasing-deps';
import type { GitCharts } from './git-charts';
import type { StatusDraft } from './status-draft';

export interface ExtendedDeps extends ReleasingDeps<DeclaredRelease> {
  readonly resources: ResourcePort;
  readonly sources: Pick<ChartSources, 'pull'>;
  readonly charts: GitCharts;
  /** False leaves dependencies that do not lie in the chart alone. */
  readonly updateDeps: boolean;
  readonly clock: Clock;
}

/** One sync under way. */
export interface Sync {
  readonly resource: ExtendedRelease;
  readonly by: Trigger;
  readonly draft: StatusDraft;
  /** The status as it was found. */
  readonly found: Fields;
  readonly signal: AbortSignal;
  /** The commit that a gate keeps it at; undefined where none does. */
  readonly commit: string | undefined;
  /** What it reads. */
  readonly holding: RetainedCharts;
  /** Hears what Helm went back to after a failure: its commit or chart version, where Helm tells it. */
  readonly remediated: (revision: string | undefined) => void;
  /** Writes what the draft says so far, so that the screen shows what is about to be done. */
  readonly flush: () => Promise<void>;
}

/** What a release is made of, as far as it was found out before anything was decided. */
export interface Plan {
  readonly request: ReleaseRequest;
  readonly valuesDigest: string;
  readonly newest: StoredRevision | undefined;
  readonly chartChanged: 'yes' | 'no' | 'unknown';
}

const TOLD = Symbol('the status tells already');

/** Marks an error whose phase has been set where it happened. */
export function reported(error: unknown): Error {
  return Object.assign(error instanceof Error ? error : new Error(String(error)), { [TOLD]: true });
}

/** True where the status tells of an error already. */
export function isReported(error: unknown): boolean {
  return typeof error === 'object' && error !== null && TOLD in error;
}

const DIGEST = 'lastAttemptedRevisionDigest';

/** What the status says of the last attempt. */
export function attemptedOf(draft: StatusDraft): Attempted {
  return { revision: draft.text('lastAttemptedRevision'), digest: draft.text(DIGEST) };
}

/** Phases in which Helm is at work, or just was: whoever finds them alone on the release is not the one who wrote them. */
const ACTING = ['Installing', 'Upgrading', 'Deployed'];

/** Whether the last attempt ended without its process, and Helm has stored more since than that told. */
export function isUntold({ found }: Pick<Sync, 'found'>, newest: Pick<StoredRevision, 'revision'> | undefined): boolean {
  const told = readNumber(found, 'lastAct', 'storedRevision') ?? 0;
  return ACTING.includes(readString(found, 'phase') ?? '') && newest !== undefined && newest.revision > told;
}

/** Takes down what is attempted beside its revision: one version may come to be another archive, and one commit to have other dependencies. */
export function noteDigest(draft: StatusDraft, chart: ChartAt): void {
  const digest = contentDigest(chart);
  if (draft.text(DIGEST) !== digest) draft.set({ [DIGEST]: digest ?? null });
}

/** A release that stands as wanted: nothing of a rollback counts any more. */
export function settle(draft: StatusDraft, revision: string): void {
  draft.dropCondition('RolledBack');
  draft.set({ revision, rollbackCount: 0 });
}

/** What failed is not tried again until something changes (X-RB-2). */
export function staysRolledBack<Found>({ draft }: Sync, found: Found): Found {
  if (draft.text('phase') !== 'RolledBack') draft.set({ phase: 'RolledBack' });
  return found;
}
