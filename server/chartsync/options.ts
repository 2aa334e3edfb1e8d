import type { ReadValues } from '@/lib/std/yaml/read-values';
import type { Outbound } from '@/server/outbound';
import type { ReconcileHistory } from './describe/reconcile-history';
import type { Identities } from './identities';
import type { ReleasePreviews } from './preview/release-previews';

/** How chart sync runs. */
export interface ChartSyncOptions {
  /** The address of the repository of charts; the base kind waits where there is none. */
  readonly repository: string | undefined;
  /** The Secret with its credentials, read as the server. */
  readonly repositorySecret: { readonly namespace: string; readonly name: string } | undefined;
  readonly branch: string;
  /** The folder of the repository below which base resources name their charts. */
  readonly chartsPath: string;
  readonly intervalMs: number;
  readonly pollMs: number;
  readonly cloneMs: number;
  readonly fetchMs: number;
  /** How much mirrors of repositories that resources name may take on disk together; commits that are exported from them may take as much again. */
  readonly mirrorsBytes: number;
  readonly listTimeoutMs: number;
  /** Writes what differs to the log, secrets included. */
  readonly logDiffs: boolean;
  /** Compares by a dry run also where nothing moved since the last comparison. */
  readonly alwaysCompare: boolean;
  /** How many approvals a commit wants, whatever annotations say; 0 for none. */
  readonly approvals: number;
  /** The Helm that was named. */
  readonly helm: string | undefined;
  /** How many run at once; each takes a processor and a few hundred megabytes. */
  readonly helmAtOnce: number;
  /** What each of them may hold, in bytes. */
  readonly helmMemory: number;
  /** A folder of this process: mirrors, exports and Helm's homes lie below it, and `file:` addresses are taken from there only. */
  readonly folder: string;
  readonly identities: Identities;
  /** Where the loops tell what they do. */
  readonly journal: ReconcileHistory;
  /** By whom people are shown what commits would make. */
  readonly previews: ReleasePreviews;
  /** By which digests of values are keyed; every replica has the same. */
  readonly valuesKey: () => Promise<string>;
  /** The way to addresses that resources name. */
  readonly outbound: Outbound;
  /** Reads long texts of values where nobody waits for it. */
  readonly readLongValues?: (text: string) => Promise<ReadValues>;
}
