import type { Finding } from '@/lib/contract/finding';
import type { RecordEntry } from '@/lib/contract/record-entry';
import type { DecisionVerb } from '@/lib/contract/stage-decision';
import type { ObjectKey } from '@/lib/kube/object';
import type { Cluster, Informers } from '@/server/kube';
import type { Clock, Ids, Log, Random, Registry } from '@/server/platform';
import type { Controller } from './controller';
import type { ReconcileContext } from './reconciler';

export type RecordState = 'open' | 'waiting' | 'full';

/** When a pass that waits for the record looks again. */
export const RECORD_RETRY_MS = 5000;

/** What every engine is built from. */
export interface EngineDeps {
  readonly cluster: Cluster;
  readonly informers: Informers;
  readonly clock: Clock;
  readonly random: Random;
  readonly ids: Ids;
  readonly log: Log;
  readonly metrics: Registry;
  /** False while this replica must not write: about the key's shard, or, without a key, because it does not lead. */
  readonly mayAct: (shardKey?: ObjectKey) => boolean;
  /** The shard of a key; absent where there is one. */
  readonly shardOf?: (shardKey: ObjectKey) => number;
  /** The cluster, writable while this replica may act on the key's shard; absent where there is one shard. */
  readonly clusterFor?: (shardKey: ObjectKey) => Cluster;
  /** Why no decision of a person counts now, or none of this verb, for instance because nothing ties it to its person; null when they count. */
  readonly decisionsBlockedReason?: (verb?: DecisionVerb) => string | null;
  /** Why a field of a kind would not be kept as written by the cluster's definition, with the command that mends it; null when it would. */
  readonly dropped?: (kind: string, field: string) => string | null;
  /** Why nothing is to be done for objects of a kind while others go on; null where it is, and for all when absent. */
  readonly stoppedReason?: (kind: string) => string | null;
  /** Whether the cluster's definition of a kind was read, so that what it drops is known and no mere doubt. */
  readonly isDefinitionRead?: (kind: string) => boolean;
  /**
   * How the record stands: `waiting` while acts wait in a file, and no decision counts but pause and abort; `full` when no more can wait, and
   * nothing but aborts goes on. Absent where it is always open.
   */
  readonly recordState?: () => Promise<RecordState>;
  /** Puts an entry on record; resolves when it is durable. */
  readonly record: (entry: RecordEntry) => Promise<void>;
  /** Which of these ids are on record, as its store says; none while it does not answer, or when absent. What waits in a file is not. */
  readonly onRecord?: (ids: readonly string[]) => Promise<ReadonlySet<string>>;
}

/**
 * What a pass writes through: it refuses once another replica acts on the pass's shard, whatever else this one still holds, and the next
 * pass begins once the copies show what was written.
 */
export function clusterOfPass(
  { cluster, clusterFor }: Pick<EngineDeps, 'cluster' | 'clusterFor'>,
  { shardKey, noting }: Pick<ReconcileContext, 'shardKey' | 'noting'>,
): Cluster {
  const fenced = clusterFor?.(shardKey) ?? cluster;
  return noting?.(fenced) ?? fenced;
}

/** A running engine: its controllers, and a stop that drains them. */
export interface Engine extends AsyncDisposable {
  readonly name: string;
  readonly controllers: readonly Controller[];
  /** Why it has nothing to do as it is configured; null, as when absent, where it has. */
  readonly off?: () => string | null;
  /** What keeps it from its work beside its standing; nothing when absent. */
  readonly findings?: () => readonly Finding[];
  /** Resolves when the workers of every controller run whose kinds may be listed; the others follow once they may. */
  start(): Promise<void>;
}
