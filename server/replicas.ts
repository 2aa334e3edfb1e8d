import { hostname } from 'node:os';
import { SERVER_NAMESPACE } from '@/lib/contract/grant';
import { toIso } from '@/lib/std/instant';
import type { ChosenCluster } from '@/server/cluster-choice';
import type { EngineDeps, LeadershipState } from '@/server/framework';
import { createLeadership } from '@/server/framework';
import type { Clock, Lifetimes, Log, Random } from '@/server/platform';

/** Every installation in a cluster meets here: two of them must not both drive. */
const PLACE = { namespace: SERVER_NAMESPACE, name: 'slipway' } as const;

/** This process among the replicas that drive one cluster. */
export interface Replica {
  /** What engines may act on, and what they write through: it refuses while another replica acts. */
  readonly rights: Pick<EngineDeps, 'cluster' | 'clusterFor' | 'mayAct' | 'shardOf'>;
  /** Absent where no other replica can be. */
  readonly leadership?: () => LeadershipState;
  /** A sentence while it acts on nothing because the Leases cannot be read or written. */
  readonly troubles: () => readonly string[];
  /** Becomes a candidate; called when the engines could act at once. */
  start(): void;
}

interface ReplicaDeps {
  readonly chosen: Pick<ChosenCluster, 'cluster' | 'elections'>;
  /** Into how many parts the replicas divide the work. */
  readonly shards: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly lifetimes: Lifetimes;
  readonly bootId: string;
}

/** Joins the replicas of a cluster. An embedded one has a single process, which may always act. */
export function joinReplicas({ chosen, shards, clock, random, log, lifetimes, bootId }: ReplicaDeps): Replica {
  const { cluster, elections } = chosen;
  if (elections === undefined) return { rights: { cluster, mayAct: () => true }, troubles: () => [], start: () => undefined };
  const identity = `${hostname()}_${bootId}`;
  const leadership = lifetimes.use('leadership', createLeadership({ ...PLACE, cluster: elections, clock, random, log, identity, shards }));
  return {
    rights: {
      cluster: leadership.fence(cluster),
      clusterFor: (key) => leadership.fence(cluster, key),
      mayAct: (key) => (key === undefined ? leadership.mayAct() : leadership.mayActOn(key)),
      shardOf: (key) => leadership.shardOf(key),
    },
    leadership: () => leadership.state(),
    troubles: () => formatTrouble(leadership.state()),
    start: () => leadership.start(),
  };
}

/** One that was not renewed once, or that another replica holds all the while, keeps nobody waiting. */
function formatTrouble({ shards, failure }: LeadershipState): readonly string[] {
  if (failure === undefined || shards.some(({ mine }) => mine)) return [];
  return [`this replica acts on nothing: reading or writing the Leases has failed since ${toIso(failure.since)}: ${failure.reason}`];
}
