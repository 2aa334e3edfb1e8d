import type { Clock } from '@/server/platform';
import type { GitCharts } from '../exports/git-charts';
import { contentDigest } from '../gate/chart-identity';
import type { DeclaredRelease, ExtendedRelease } from '../model/declared';
import type { ChartAt } from '../model/release';
import type { ChartSources, ResourcePort, SkippedRun, SyncReport, Trigger } from '../ports';
import type { ReleasingDeps } from '../releasing-deps';
import { ATTEMPTED_DIGEST } from './status/last-attempt';
import type { StatusDraft } from './status/status-draft';

export interface ExtendedDeps extends ReleasingDeps<DeclaredRelease> {
  readonly resources: ResourcePort;
  readonly sources: Pick<ChartSources, 'pull'>;
  readonly charts: GitCharts;
  /** False leaves dependencies that do not lie in the chart alone. */
  readonly updateDeps: boolean;
  readonly clock: Clock;
}

/** What Helm went back to after a failure: its commit or chart version, where Helm tells it; and by which rule. */
export interface Remediation {
  readonly revision: string | undefined;
  readonly rule: 'X-RB-1' | 'X-TEST-1';
}

/** What a sync came to. */
export type Outcome =
  | SkippedRun
  | { readonly outcome: 'waits'; readonly error: string }
  /** `generation`: what failed, where that need not be what is wanted now. */
  | { readonly outcome: 'failed'; readonly error: string; readonly isCancelled: boolean; readonly generation?: number }
  /** Its process ends: whoever comes next finds what was left. */
  | { readonly outcome: 'cut-off'; readonly error: string }
  | { readonly outcome: 'put-back'; readonly putBack: string }
  | { readonly outcome: Exclude<SyncReport['outcome'], 'failed' | 'remediated' | 'waits' | 'put-back' | SkippedRun['outcome']> };

/** One sync under way. */
export interface Sync {
  readonly resource: ExtendedRelease;
  readonly by: Trigger;
  readonly draft: StatusDraft;
  readonly signal: AbortSignal;
  /** Hears what Helm went back to after a failure. */
  readonly remediated: (back: Remediation) => void;
  /** Writes what the draft says so far, so that the screen shows what is about to be done. */
  readonly flush: () => Promise<void>;
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

/** Takes down what is attempted: one version may come to be another archive, and one commit to have other dependencies. */
export function recordAttemptedDigest(draft: StatusDraft, chart: ChartAt): void {
  const digest = contentDigest(chart);
  if (draft.text(ATTEMPTED_DIGEST) !== digest) draft.set({ [ATTEMPTED_DIGEST]: digest ?? null });
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
