import { messageOf } from '@/lib/contract/app-error';
import type { ObjectKey } from '@/lib/kube/object';
import { toStableJson } from '@/lib/std/stable-json';
import type { Cluster } from '@/server/kube';
import { isAlreadyExists, isConflict, isNotFound } from '@/server/kube';
import type { Release } from '@/server/platform';
import { monotonicMsOf } from '@/server/platform';
import { fence } from './fence';
import type { Leadership, LeadershipOptions, LeadershipState } from './leadership';
import { requireOptions } from './leadership-options';
import type { LeaseClaim } from './lease-record';
import { LeaseRequests } from './lease-requests';
import type { LeaseRound } from './lease-term';
import { LeaseTerm } from './lease-term';
import type { ObservedLease } from './observed-lease';
import { ObservedLeases } from './observed-leases';
import type { ShardView } from './shard-plan';
import { planShards, shardOf } from './shard-plan';

const JITTER = 0.1;
const SHORTEST_WAIT_MS = 20;
/** Member Leases of the dead are swept after so many times the length of a Lease. */
const SWEEP_AFTER = 10;

/** Makes this process a candidate; nothing happens before its start. Disposing gives back what it holds. */
export function createLeadership(options: LeadershipOptions): Leadership {
  return new LeaseLeadership(options);
}

/**
 * One loop: look at all Leases, plan, write, sleep.
 *
 * 1. A shard is acted on only under its term, which a successful write of its Lease made, counted from the start of the look.
 * 2. A Lease is written at the version that was looked at; 409 means that somebody else was faster, and the next look will tell.
 * 3. A request that does not answer in time is given up, and its late answer counts for nothing.
 * 4. A shard is handed over only after the last write under it has ended; when that is in doubt its Lease lapses instead.
 */
class LeaseLeadership implements Leadership {
  readonly #options: Required<LeadershipOptions>;
  readonly #count: number;
  readonly #requests: LeaseRequests;
  readonly #observed: ObservedLeases;
  readonly #terms: readonly LeaseTerm[];
  readonly #listeners = new Set<(state: LeadershipState) => void>();
  readonly #handovers = new Map<number, Promise<void>>();
  readonly #expiries = new Set<Release>();
  readonly #ending = new AbortController();
  #running: Promise<void> | undefined;
  #round = 0;
  /** Since when, and by what, rounds fail. */
  #failure: LeadershipState['failure'];
  #failedIn = 0;
  #told = '';

  constructor(options: LeadershipOptions) {
    this.#options = requireOptions(options);
    const { clock, leaseMs, marginMs, shards, name } = this.#options;
    this.#count = shards;
    this.#requests = new LeaseRequests(this.#options);
    this.#observed = new ObservedLeases(name, leaseMs, clock);
    this.#terms = Array.from({ length: shards }, () => new LeaseTerm(clock, leaseMs - marginMs, () => this.#notify()));
  }

  start(): void {
    this.#running ??= this.#run(this.#ending.signal);
  }

  mayAct(): boolean {
    return this.#term(0).mayAct();
  }

  shardOf(key: ObjectKey): number {
    return shardOf(key, this.#count);
  }

  mayActOn(key: ObjectKey): boolean {
    return this.#term(this.shardOf(key)).mayAct();
  }

  fence(cluster: Cluster, key?: ObjectKey): Cluster {
    const term = this.#term(key === undefined ? 0 : this.shardOf(key));
    return fence(cluster, () => term.mayAct(), { carry: term.carry });
  }

  state(): LeadershipState {
    const shards = this.#terms.map((term, index) => {
      const mine = term.mayAct();
      const known = this.#observed.shard(index)?.holder;
      return { index, holder: mine ? this.#options.identity : known || undefined, mine };
    });
    const first = this.#observed.shard(0);
    const inForce = first?.holder ? first.record?.layout : undefined;
    const { identity } = this.#options;
    return {
      identity,
      holder: shards[0]?.holder,
      isLeader: this.mayAct(),
      since: this.#term(0).since(),
      inForce,
      shards,
      failure: this.#failure,
    };
  }

  subscribe(listener: (state: LeadershipState) => void): Release {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort(new Error('leadership is ending'));
    await this.#running;
    await Promise.all(this.#terms.map((_, index) => this.#handOver(index)));
    await this.#attempt('leave', () => this.#leave());
    for (const cancel of this.#expiries) cancel();
    this.#notify();
    this.#listeners.clear();
  }

  async #run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      // The clock is not held: a round may wait for a network that only time heals.
      const round = this.#round + 1;
      const looked = await this.#attempt('look at the Leases', () => this.#runRound());
      if (looked && this.#failedIn < round) this.#failure = undefined;
      this.#notify();
      const { clock, random, renewMs } = this.#options;
      const usualMs = (looked ? renewMs : renewMs / 2) * (1 - JITTER + 2 * JITTER * random());
      const waitMs = Math.max(SHORTEST_WAIT_MS, Math.min(usualMs, this.#observed.nextLapseMs(this.#options.identity)));
      this.#observed.expectWait(waitMs);
      await clock.sleep(waitMs, signal).catch(() => undefined); // an abort is the end that was asked for
    }
  }

  async #runRound(): Promise<void> {
    const { identity } = this.#options;
    const round = this.#begin();
    this.#observed.look(await this.#requests.list());
    if (this.#ending.signal.aborted) return;
    this.#terms.forEach((term, index) => {
      if (this.#observed.shard(index)?.holder !== identity) term.end(); // taken, released or deleted
    });
    if (this.#count > 1) await this.#attempt('renew membership', () => this.#renewMembership());
    const members = this.#count > 1 ? this.#observed.members(identity, this.#count) : [];
    const plan = planShards(identity, this.#count, this.#views(), members);
    // Not awaited here: what is handed over may take its time, and the others must be renewed.
    for (const index of plan.letGo) void this.#handOver(index);
    const wanted = [...plan.keep, ...plan.take].filter((index) => !this.#handovers.has(index));
    await Promise.all([
      ...wanted.map((index) => this.#attempt(`hold shard ${index}`, () => this.#hold(index, round))),
      ...(this.mayAct()
        ? this.#observed.deadMembers(SWEEP_AFTER).map((dead) => this.#attempt('sweep', () => this.#requests.delete(dead)))
        : []),
    ]);
    this.#notify();
  }

  #begin(): LeaseRound {
    const { clock, leaseMs, marginMs } = this.#options;
    const round: LeaseRound = { number: ++this.#round, start: clock.now(), steadyStart: monotonicMsOf(clock) };
    const cancel = clock.schedule(leaseMs - marginMs, () => {
      this.#expiries.delete(cancel);
      for (const term of this.#terms) term.expire(round);
    });
    this.#expiries.add(cancel);
    return round;
  }

  async #hold(index: number, round: LeaseRound): Promise<void> {
    const waitMs = this.#relayoutWaitMs(index);
    await this.#write(this.#observed.shardLease(index));
    this.#term(index).renewed(round, waitMs);
  }

  /** Under a new number of shards one waits until whoever still counts with the old one has stopped. */
  #relayoutWaitMs(index: number): number {
    const first = !this.#observed.shards().some(({ observed }) => observed.lease !== undefined);
    if (first || this.#observed.shard(index)?.record?.layout === this.#count) return 0;
    return Math.max(this.#options.leaseMs, ...this.#observed.shards().map(({ observed }) => observed.record?.durationMs ?? 0));
  }

  /** One at a time for each shard; never rejects. */
  #handOver(index: number): Promise<void> {
    const known = this.#handovers.get(index);
    if (known !== undefined) return known;
    const handover = this.#attempt(`hand over shard ${index}`, () => this.#letGo(index)).then(() => void this.#handovers.delete(index));
    this.#handovers.set(index, handover);
    return handover;
  }

  async #letGo(index: number): Promise<void> {
    const term = this.#terms[index];
    const settled = term === undefined || (await term.close());
    const { lease, holder } = this.#observed.shardLease(index);
    if (lease === undefined || holder !== this.#options.identity || !settled) return;
    const released = await this.#requests.release(lease, this.#claim());
    this.#observed.shardLease(index).see(released, 0, this.#options.leaseMs);
  }

  async #renewMembership(): Promise<void> {
    await this.#write(this.#observed.memberLease(this.#options.identity));
  }

  async #leave(): Promise<void> {
    if (this.#count > 1) await this.#requests.delete(this.#observed.memberLease(this.#options.identity));
  }

  async #write(observed: ObservedLease): Promise<void> {
    observed.see(await this.#requests.write(observed, this.#claim()), 0, this.#options.leaseMs);
  }

  #views(): readonly ShardView[] {
    return this.#observed.shards().map(({ index, observed }) => ({
      index,
      holder: observed.holder,
      live: observed.remainingMs > 0,
      layout: observed.record?.layout,
    }));
  }

  #claim(): LeaseClaim {
    const { identity, leaseMs, clock } = this.#options;
    return { identity, leaseMs, layout: this.#count, now: clock.now(), round: this.#round };
  }

  #term(index: number): LeaseTerm {
    const term = this.#terms[index];
    if (term === undefined) throw new RangeError(`needs a shard below ${this.#count}, found ${index}`);
    return term;
  }

  /** True when it went well. What fails is tried again with the next round. */
  async #attempt(what: string, work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      const expected = isConflict(error) || isAlreadyExists(error) || isNotFound(error) || this.#ending.signal.aborted;
      const fields = { what, identity: this.#options.identity, error: messageOf(error) };
      if (expected) this.#options.log.debug(fields, 'leadership: another replica was faster');
      else {
        this.#failedIn = this.#round;
        this.#failure = { since: this.#failure?.since ?? this.#options.clock.now(), reason: messageOf(error) };
        this.#options.log.warn(fields, 'leadership: a request failed, retrying');
      }
      return false;
    }
  }

  #notify(): void {
    const state = this.state();
    const text = toStableJson(state);
    if (text === this.#told) return;
    this.#told = text;
    this.#options.log.info({ ...state }, 'leadership changed');
    for (const listener of [...this.#listeners]) listener(state);
  }
}
