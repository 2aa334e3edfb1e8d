import type { ObjectKey } from '@/lib/kube/object';

/** The shard of a key among so many: FNV-1a, the same on every replica. */
export function shardOf(key: ObjectKey, count: number): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < key.length; at++) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193);
  return (hash >>> 0) % count;
}

/** One shard's Lease as the round sees it. */
export interface ShardView {
  readonly index: number;
  readonly holder: string;
  /** Its holder may still act, as far as we can tell. */
  readonly live: boolean;
  /** The number of shards its last holder counted with; undefined when there is no such Lease. */
  readonly layout: number | undefined;
}

export interface ShardPlan {
  /** Held by us and to be renewed. */
  readonly keep: readonly number[];
  readonly take: readonly number[];
  readonly letGo: readonly number[];
}

/**
 * What a replica does about the shards, from what it sees. The annotation on shard 0 is the layout in force: nobody takes or keeps
 * a shard under another, and it changes only when nobody live holds a shard of the old one.
 */
export function planShards(identity: string, count: number, shards: readonly ShardView[], members: readonly string[]): ShardPlan {
  const mine = shards.filter((shard) => shard.holder === identity).map((shard) => shard.index);
  const first = shards.find((shard) => shard.index === 0);
  if (first?.layout !== count) {
    const older = shards.some((shard) => shard.live && shard.holder !== identity && shard.layout !== count);
    const taken = first?.live === true && first.holder !== identity;
    return { keep: [], take: older || taken ? [] : [0], letGo: mine.filter((index) => index > 0 || older) };
  }
  const quota = quotaOf(identity, count, shards, members);
  const usable = mine.filter((index) => index < count);
  const keep = usable.slice(0, quota);
  const letGo = mine.filter((index) => !keep.includes(index));
  const indexes = Array.from({ length: count }, (_, index) => index);
  const free = indexes.filter((index) => !shards.some((shard) => shard.index === index && (shard.live || shard.holder === identity)));
  return { keep, take: free.slice(0, Math.max(0, quota - keep.length)), letGo };
}

/**
 * A replica's fair share. What does not divide evenly goes to those who hold most already, so that nothing moves without need;
 * without knowledge of members everything is everyone's.
 */
function quotaOf(identity: string, count: number, shards: readonly ShardView[], members: readonly string[]): number {
  if (!members.includes(identity)) return members.length === 0 ? count : 0;
  const held = new Map(members.map((member) => [member, shards.filter((shard) => shard.holder === member && shard.live).length]));
  const ranked = [...members].sort((a, b) => (held.get(b) ?? 0) - (held.get(a) ?? 0) || (a < b ? -1 : 1));
  return Math.floor(count / members.length) + (ranked.indexOf(identity) < count % members.length ? 1 : 0);
}
