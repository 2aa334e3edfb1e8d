import type { KubeObject } from '@/lib/kube/object';
import type { Instant } from '@/lib/std/instant';
import type { Clock } from '@/server/platform';
import { ObservedLease } from './observed-lease';

/** What a look may take beyond the wait before it, and still count: more than that is a clock that was set forward. */
const GRACE_MS = 1_000;

/** All Leases of one leadership as this replica has seen them, by name. */
export class ObservedLeases {
  readonly #name: string;
  readonly #leaseMs: number;
  readonly #clock: Clock;
  readonly #known = new Map<string, ObservedLease>();
  #lookedAt: Instant | undefined;
  #meantMs = 0;

  constructor(name: string, leaseMs: number, clock: Clock) {
    this.#name = name;
    this.#leaseMs = leaseMs;
    this.#clock = clock;
  }

  /** Tells how long it is meant to be until the next look. */
  expectWait(ms: number): void {
    this.#meantMs += ms;
  }

  /** Takes in a whole list; a Lease that is not in it is gone. */
  look(leases: readonly KubeObject[]): void {
    const now = this.#clock.now();
    const passedMs = this.#lookedAt === undefined ? 0 : now - this.#lookedAt;
    const countedMs = Math.max(0, Math.min(passedMs, this.#meantMs + GRACE_MS));
    this.#lookedAt = now;
    this.#meantMs = 0;
    const found = new Map(leases.map((lease) => [lease.metadata.name ?? '', lease]));
    for (const name of found.keys())
      if (name.startsWith(`${this.#name}-shard-`) || name.startsWith(`${this.#name}-member-`)) this.#lease(name);
    for (const [name, observed] of this.#known) {
      observed.see(found.get(name), countedMs, this.#leaseMs);
      if (observed.lease === undefined && observed.remainingMs === 0) this.#known.delete(name);
    }
  }

  shard(index: number): ObservedLease | undefined {
    return this.#known.get(this.#shardName(index));
  }

  shardLease(index: number): ObservedLease {
    return this.#lease(this.#shardName(index));
  }

  memberLease(identity: string): ObservedLease {
    return this.#lease(`${this.#name}-member-${toName(identity)}`);
  }

  /** Every shard that has a Lease, or had one that must be waited out, by index. */
  shards(): readonly { readonly index: number; readonly observed: ObservedLease }[] {
    const prefix = this.#shardName('');
    return [...this.#known.values()]
      .filter(({ name }) => name.startsWith(prefix) && /^\d+$/.test(name.slice(prefix.length)))
      .map((observed) => ({ index: Number(observed.name.slice(prefix.length)), observed }))
      .sort((a, b) => a.index - b.index);
  }

  /** Identities of the replicas that are alive as far as we know and count with as many shards as we do, ours always. */
  members(identity: string, count: number): readonly string[] {
    const alive = this.#memberLeases().filter(({ record, remainingMs }) => remainingMs > 0 && record?.layout === count);
    return [...new Set([identity, ...alive.map((observed) => observed.holder)])].sort();
  }

  /** Members that have not renewed for so many times the length of a Lease. */
  deadMembers(times: number): readonly ObservedLease[] {
    return this.#memberLeases().filter((observed) => observed.lease !== undefined && observed.ageMs > times * this.#leaseMs);
  }

  /** How long until somebody else's Lease may lapse. */
  nextLapseMs(identity: string): number {
    const waits = [...this.#known.values()].filter(({ holder, remainingMs }) => holder !== identity && remainingMs > 0);
    return Math.min(Number.POSITIVE_INFINITY, ...waits.map((observed) => observed.remainingMs));
  }

  #memberLeases(): readonly ObservedLease[] {
    return [...this.#known.values()].filter(({ name }) => name.startsWith(`${this.#name}-member-`));
  }

  #shardName(index: number | ''): string {
    return `${this.#name}-shard-${index}`;
  }

  #lease(name: string): ObservedLease {
    const known = this.#known.get(name) ?? new ObservedLease(name);
    this.#known.set(name, known);
    return known;
  }
}

/** An identity as part of an object's name. */
function toName(identity: string): string {
  return identity
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
}
