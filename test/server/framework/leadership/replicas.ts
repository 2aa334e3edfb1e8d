import { readString } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import { toInstant } from '@/lib/std/instant';
import { startEmbedded } from '@/server/embedded';
import { createLeadership } from '@/server/framework';
import type { Leadership, LeadershipOptions } from '@/server/framework/leadership/leadership';
import { shardOf } from '@/server/framework/leadership/shard-plan';
import type { Cluster, RequestOptions } from '@/server/kube';
import type { Clock, Release } from '@/server/platform';
import { createRandom } from '@/server/platform';
import { sleepOn } from '@/server/platform/clock';
import { FaultDoor } from '@/test/support/faults';
import { ManualClock } from '@/test/support/manual-clock';
import { createSeededIds } from '../../../support/seeded-ids';
import { silentLog } from '../../../support/silent-log';

const NAMESPACE = 'kube-system';
const LEASE = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', namespace: NAMESPACE } as const;
const WRITE_EVERY_MS = 250;

/** The clock of one process: set differently, set anew, standing still, or not running at all. */
export class LocalClock implements Clock {
  offsetMs = 0;
  readonly #base: ManualClock;
  readonly #first: (() => void)[] = [];
  readonly #late: (() => void)[] = [];
  #stalledAt: number | undefined;
  #awake: Promise<void> | undefined;
  #wake: () => void = () => undefined;

  constructor(base: ManualClock) {
    this.#base = base;
  }

  now() {
    return toInstant(this.#stalledAt ?? this.#base.now() + this.offsetMs);
  }

  /** Nobody sets it, and only the one that can be set stalls. */
  steadyMs(): number {
    return this.#base.now();
  }

  schedule(delayMs: number, task: () => void): Release {
    return this.#base.schedule(delayMs, () => (this.#awake === undefined ? task() : void this.#late.push(task)));
  }

  sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    return sleepOn(this, delayMs, signal);
  }

  hold(): Release {
    return this.#base.hold();
  }

  /** Time seems to stand still, while the process runs on. */
  stall(ms: number): void {
    this.#stalledAt ??= this.now();
    this.#base.schedule(ms, () => {
      this.#stalledAt = undefined;
    });
  }

  /** No code of the process runs; afterwards what was due is late, and the clock shows the time that it is. */
  pause(ms: number): void {
    if (this.#awake !== undefined) return;
    this.#awake = new Promise((resolve) => {
      this.#wake = resolve;
    });
    this.#base.schedule(ms, () => {
      this.#awake = undefined;
      this.#wake();
      for (const task of this.#first) task();
      // Whatever the process does first, it does before its timers: nothing may rely on them.
      this.#base.schedule(1, () => {
        for (const task of this.#late.splice(0)) this.schedule(0, task);
      });
    });
  }

  /** What the process goes on with when it runs again. */
  onWake(task: () => void): void {
    this.#first.push(task);
  }

  get paused(): boolean {
    return this.#awake !== undefined;
  }

  get stalled(): boolean {
    return this.#stalledAt !== undefined;
  }

  async awake(): Promise<void> {
    while (this.#awake !== undefined) await this.#awake;
  }
}

/** The way of one process to the API server. What is lost never arrives; what is unanswered was done and nobody hears of it. */
export interface Network {
  state: 'up' | 'lost' | 'unanswered';
  thereMs: number;
  backMs: number;
}

/** A promise of its own each time: all that ever waited would hang on a shared one for as long as the process lives. */
const never = () => new Promise<never>(() => undefined);

function throughNetwork(cluster: Cluster, network: Network, base: ManualClock, local: LocalClock): Cluster {
  async function pass<Answer>(options: RequestOptions | undefined, send: () => Promise<Answer>): Promise<Answer> {
    options?.signal?.throwIfAborted();
    options?.beforeSend?.();
    const { state, thereMs, backMs } = network;
    const travel = async () => {
      if (state === 'lost') return never();
      if (thereMs > 0) await base.sleep(thereMs); // an abort does not call it back
      const answer = await send();
      if (state === 'unanswered') return never();
      if (backMs > 0) await base.sleep(backMs);
      await local.awake();
      return answer;
    };
    const { signal } = options ?? {};
    if (signal === undefined) return travel();
    return new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      travel().then(resolve, reject);
    });
  }
  return {
    ...cluster,
    get: (at, options) => pass(options, () => cluster.get(at)),
    async *list(of, options) {
      yield* await pass(options, async () => {
        const pages = [];
        for await (const page of cluster.list(of)) pages.push(page);
        return pages;
      });
    },
    create: (object, options) => pass(options, () => cluster.create(object)),
    update: (object, options) => pass(options, () => cluster.update(object)),
    patch: (at, patch, options) => pass(options, () => cluster.patch(at, patch)),
    delete: (at, { signal, beforeSend, ...options } = {}) =>
      pass({ ...(signal ? { signal } : {}), ...(beforeSend ? { beforeSend } : {}) }, () => cluster.delete(at, options)),
  };
}

/** One fenced write that the API server carried out. */
export interface Written {
  readonly at: number;
  readonly by: string;
  readonly shard: number;
  /** Who held the shard's Lease when it was carried out. */
  readonly holder: string | undefined;
}

export interface Replica {
  readonly identity: string;
  readonly clock: LocalClock;
  readonly leases: Network;
  readonly data: Network;
  readonly leadership: Leadership;
  /** Ends without a word, as `kill -9` does. */
  kill(): void;
}

/** Replicas around an embedded cluster. */
export function startReplicas(names: readonly string[], options: Partial<LeadershipOptions> = {}) {
  const random = createRandom(7);
  return startReplicasAt(
    async (clock) => {
      const faults = new FaultDoor(clock);
      const embedded = await startEmbedded({
        clock,
        random,
        ids: createSeededIds(random),
        log: silentLog,
        controllers: false,
        interference: faults,
      });
      return { ...embedded, faults };
    },
    names,
    options,
  );
}

/** An API server and replicas around it, each of which writes whatever it may, all the time. */
export async function startReplicasAt<Server extends { readonly cluster: Cluster } & AsyncDisposable>(
  open: (clock: ManualClock) => Promise<Server>,
  names: readonly string[],
  options: Partial<LeadershipOptions> = {},
) {
  const clock = new ManualClock();
  const server = await open(clock);
  const { cluster } = server;
  const shards = options.shards ?? 1;
  const written: Written[] = [];
  const replicas = new Map<string, Replica>();
  const keys = Array.from({ length: shards }, (_, shard) => keyOfShard(shard, shards));

  const lease = async (name: string): Promise<KubeObject | undefined> => cluster.get({ ...LEASE, name }).catch(() => undefined);
  const holderOf = async (shard: number) => readString(await lease(`slipway-shard-${shard}`), 'spec', 'holderIdentity');

  /** Where writes arrive: what is carried out is written down at that instant. */
  const noting = (by: string): Cluster => ({
    ...cluster,
    patch: async (at, patch, given) => {
      const shard = Number(at.name.slice('shard-'.length));
      written.push({ at: clock.now(), by, shard, holder: await holderOf(shard) });
      return cluster.patch(at, patch, given);
    },
  });

  function start(identity: string, more: Partial<LeadershipOptions> = {}): Replica {
    const local = new LocalClock(clock);
    const leases: Network = { state: 'up', thereMs: 0, backMs: 0 };
    const data: Network = { state: 'up', thereMs: 0, backMs: 0 };
    const leadership = createLeadership({
      cluster: throughNetwork(cluster, leases, clock, local),
      clock: local,
      random: createRandom(identity.length * 31 + identity.charCodeAt(0)),
      log: silentLog,
      identity,
      namespace: NAMESPACE,
      name: 'slipway',
      ...options,
      ...more,
    });
    let alive = true;
    const fenced = keys.map((key) => leadership.fence(throughNetwork(noting(identity), data, clock, local), key));
    const write = () => {
      if (local.paused) return;
      for (const [shard, port] of fenced.entries()) {
        const at = { apiVersion: 'v1', kind: 'ConfigMap', namespace: NAMESPACE, name: `shard-${shard}` };
        // Refusals are what most of these come to; what counts is what was written.
        port.patch(at, { type: 'merge', body: { data: { by: identity } } }).catch(() => undefined);
      }
    };
    const writeOn = () => {
      if (!alive) return;
      write();
      clock.schedule(WRITE_EVERY_MS, writeOn);
    };
    local.onWake(write);
    const replica: Replica = {
      identity,
      clock: local,
      leases,
      data,
      leadership,
      kill() {
        alive = false;
        local.pause(Number.POSITIVE_INFINITY);
      },
    };
    replicas.set(identity, replica);
    leadership.start();
    writeOn();
    return replica;
  }

  for (const key of keys.keys())
    await cluster.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: NAMESPACE, name: `shard-${key}` } });
  for (const name of names) start(name);
  await clock.settle();

  return {
    clock,
    cluster,
    server,
    written,
    keys,
    lease,
    holderOf,
    start,
    replica(identity: string): Replica {
      const found = replicas.get(identity);
      if (found === undefined) throw new Error(`no replica is called ${identity}`);
      return found;
    },
    /** Ends a replica as SIGTERM does. */
    async stop(identity: string) {
      const ended = this.replica(identity).leadership[Symbol.asyncDispose]();
      await clock.settle();
      return ended;
    },
    /** Who may act on each shard now. */
    acting: () =>
      keys.map((key) =>
        [...replicas.values()]
          .filter((replica) => !replica.clock.paused && replica.leadership.mayActOn(key))
          .map(({ identity }) => identity),
      ),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

/** Some key of a shard. */
function keyOfShard(shard: number, count: number): string {
  for (let number = 0; ; number++) if (shardOf(`shop/web-${number}`, count) === shard) return `shop/web-${number}`;
}
