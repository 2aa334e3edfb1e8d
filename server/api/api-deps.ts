import type { AuditRow, Verified } from '@/lib/contract/audit-chain';
import type { ChangeFilter, WaitingPage } from '@/lib/contract/change-rows';
import type { Finding } from '@/lib/contract/finding';
import type { HistoryQuery, RolloutHistory } from '@/lib/contract/history/history-rows';
import type { Freshness } from '@/lib/contract/live';
import type { RecordQuery } from '@/lib/contract/pages/record-query';
import type { RecordEntry } from '@/lib/contract/record-entry';
import type { ReleasePlan } from '@/lib/contract/release-edit';
import type { GarbageView } from '@/lib/contract/tracker-rows';
import type { Auth, ClientAddresses, Origins, Visibility } from '@/server/auth';
import type { GitHooks, ReconcileHistory, ReleaseReader } from '@/server/chartsync';
import type { Commands, StoredPlans, TextReader } from '@/server/commands';
import type { Clock, Ids, Log, Registry } from '@/server/platform';
import type { ReadEntries, ReadModel } from '@/server/readmodel';
import type { Statuses } from '@/server/status';

/** An entry of the record, as far as it is shown. */
export type RecordRow = Pick<AuditRow, 'seq' | 'id' | 'at' | 'actor' | 'action' | 'apiVersion' | 'kind' | 'namespace' | 'name' | 'message'>;

/** The record, as far as it is read over HTTP. */
export interface RecordSource {
  readPage(
    query: RecordQuery,
    signal?: AbortSignal,
  ): Promise<{ readonly total: number; readonly more: boolean; readonly rows: readonly RecordRow[] }>;
  readEntry(id: string, namespaces: Visibility): Promise<(RecordRow & Pick<AuditRow, 'data'>) | undefined>;
  readonly readEntries: ReadEntries;
  export(namespaces: Visibility): AsyncIterable<object>;
  verify(signal?: AbortSignal): Promise<Verified>;
}

/** What collections would do, as the read model plans them. Each throws AppError not-found for what does not exist. */
export interface GarbageSource {
  compareTrackers(from: string, to: string): GarbageView;
  ofRollout(ns: string, name: string): GarbageView;
  /** One page of what waits to be collected of an application. */
  ofApplication(ns: string, name: string, request: ChangeFilter & { readonly page?: number | undefined }): WaitingPage;
}

/** The last weeks of rollouts, told from the record. Rejects while the store does not answer. */
export interface HistorySource {
  see(visibility: Visibility, query: HistoryQuery): Promise<RolloutHistory>;
}

/** What the API answers from. */
export interface ApiDeps {
  readonly auth: Auth;
  readonly origins: Origins;
  readonly peers: ClientAddresses;
  readonly commands: Commands;
  readonly texts: Pick<TextReader, 'check'>;
  readonly readModel: ReadModel;
  readonly garbage: GarbageSource;
  readonly statuses: Statuses;
  /** What Helm stored of a release, read when somebody asks. */
  readonly releases: Omit<ReleaseReader, typeof Symbol.asyncDispose>;
  /** What Helm writes in this process. */
  readonly helmLogs: Pick<ReconcileHistory['works'], 'logOf'>;
  /** What was shown of changes of releases. */
  readonly releasePlans: StoredPlans<ReleasePlan>;
  /** How fresh statuses are now, those of one application or in general. */
  readonly freshness: (application?: { readonly ns: string; readonly name: string }) => Freshness;
  /** The record; rejects while the store is not open. */
  readonly record: () => Promise<RecordSource>;
  readonly history: HistorySource;
  /** Levels that a body may be nested. */
  readonly maxDepth: number;
  /** Requests of one person per second. */
  readonly maxRequests: number;
  /** Puts on record that somebody was refused. */
  readonly noteRefused: (entry: RecordEntry) => Promise<void>;
  readonly ids: Ids;
  /** Why the server is not ready yet; empty once it is. */
  readonly unready: () => readonly string[];
  /** Sentences about what may not be watched or read, and about an API server that does not answer or keeps no Lease; the server serves all the same. */
  readonly limits: () => readonly string[];
  /** Everything of the installation that is not in order, looked at now. */
  readonly examine: (signal: AbortSignal) => Promise<readonly Finding[]>;
  /** Takes what git servers tell of pushes. */
  readonly gitHooks: GitHooks;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Registry;
}
