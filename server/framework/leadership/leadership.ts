import type { ObjectKey } from '@/lib/kube/object';
import type { Instant } from '@/lib/std/instant';
import type { Cluster } from '@/server/kube';
import type { Clock, Log, Random, Release } from '@/server/platform';

export interface LeadershipOptions {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Names this process and no other, also not the one before it on the same machine. */
  readonly identity: string;
  readonly namespace: string;
  /** What the Leases are called: `<name>-shard-0`, `<name>-member-<identity>`. */
  readonly name: string;
  /** Into how many parts keys are divided; 1 when absent. */
  readonly shards?: number;
  /** How long a Lease lasts without renewal. 12 s when absent: with the look that must see it lapse, others take over within 15 s. */
  readonly leaseMs?: number;
  /** From one renewal to the next, give or take a tenth; 2 s when absent. */
  readonly renewMs?: number;
  /** How long before its Lease may lapse a replica stops acting: what clocks differ in, and what writes take on their way. 2 s when absent. */
  readonly marginMs?: number;
}

export interface ShardState {
  readonly index: number;
  /** Who holds it as far as we know; undefined when nobody does. */
  readonly holder: string | undefined;
  readonly mine: boolean;
}

/** What the engine page shows. */
export interface LeadershipState {
  readonly identity: string;
  readonly holder: string | undefined;
  readonly isLeader: boolean;
  /** Since when this replica leads, without a break. */
  readonly since: Instant | undefined;
  /** The number of shards that is in force; undefined while nobody divides the keys. This replica takes part when it is ours. */
  readonly inForce: number | undefined;
  readonly shards: readonly ShardState[];
  /** Since when looks at the Leases, or writes of them, fail, and the newest reason; undefined while they succeed. */
  readonly failure: { readonly since: Instant; readonly reason: string } | undefined;
}

/**
 * Who acts, among replicas of which several may run. Keys are divided into shards; each shard has a Lease, and only its holder acts
 * on its keys. The holder of shard 0 is the leader. See docs/decisions/0010-leadership.md.
 */
export interface Leadership extends AsyncDisposable {
  /** Begins to look and to take; once. */
  start(): void;
  /** True while this replica leads. Asked anew at every use, never remembered. */
  mayAct(): boolean;
  /** The shard that a key is of. */
  shardOf(key: ObjectKey): number;
  /** True while this replica may act on the key. */
  mayActOn(key: ObjectKey): boolean;
  /** The cluster, writable only while this replica may act on the key, or leads when no key is given. Its writes are awaited before a handover. */
  fence(cluster: Cluster, key?: ObjectKey): Cluster;
  state(): LeadershipState;
  /** Calls at every change of the state. */
  subscribe(listener: (state: LeadershipState) => void): Release;
}
