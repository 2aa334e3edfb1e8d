import { describe, expect, it } from 'vitest';
import { SERVER_NAMESPACE } from '@/lib/contract/grant';
import type { RecordEntry } from '@/lib/contract/record-entry';
import { getCondition } from '@/lib/kube/condition';
import { readNumber, readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject, TypeRef } from '@/lib/kube/object';
import { startEmbedded } from '@/server/embedded';
import { createEngines } from '@/server/engines';
import { installMissing } from '@/server/installation';
import type { Cluster } from '@/server/kube';
import { createInformers } from '@/server/kube';
import { createMetrics, createRandom, Lifetimes } from '@/server/platform';
import { joinReplicas } from '@/server/replicas';
import { ManualClock } from '@/test/support/manual-clock';
import { aStorefront } from '../support/applications';
import { readDeployed } from '../support/definitions';
import { liveStatusOf } from '../support/live-status';
import { createSeededIds } from '../support/seeded-ids';
import { silentLog } from '../support/silent-log';

const NS = 'shop';
const SHARDS = 2;
const APPLICATIONS = ['cart', 'mail', 'news', 'pay', 'search', 'stock'] as const;
const STEP_MS = 200;
const LIMIT_MS = 10 * 60_000;

interface Written {
  readonly by: string;
  readonly application: string;
  readonly what: string;
  /** Who held the Lease of the application's shard when the write was carried out. */
  readonly holder: string | undefined;
}

/** Replicas of the server's engines on one cluster, whose every write is written down as it is carried out. */
class Fleet implements AsyncDisposable {
  readonly clock = new ManualClock();
  readonly written: Written[] = [];
  readonly record = new Map<string, RecordEntry>();
  readonly #random = createRandom(11);
  readonly #ids = createSeededIds(this.#random);
  readonly #running = new Map<string, Lifetimes>();
  readonly #shardOf = new Map<string, number>();
  #cluster: Cluster | undefined;
  #end: () => PromiseLike<void> = async () => undefined;

  get cluster(): Cluster {
    if (this.#cluster === undefined) throw new Error('the fleet was not opened');
    return this.#cluster;
  }

  async open(): Promise<this> {
    const { clock } = this;
    const embedded = await this.drive(startEmbedded({ clock, random: this.#random, ids: this.#ids, log: silentLog, nodes: 3 }));
    this.#cluster = embedded.cluster;
    this.#end = () => embedded[Symbol.asyncDispose]();
    await this.drive(installMissing(await readDeployed('deploy/crds'), { cluster: this.cluster, clock, log: silentLog }));
    for (const name of [NS, SERVER_NAMESPACE]) await this.drive(this.cluster.create({ ...KINDS.namespace, metadata: { name } }));
    return this;
  }

  async start(name: string): Promise<void> {
    const { clock } = this;
    const lifetimes = new Lifetimes(silentLog);
    const cluster = this.#noting(name);
    const informers = lifetimes.use('informers', createInformers({ cluster, clock, random: this.#random, log: silentLog }));
    const random = createRandom(name.charCodeAt(0));
    const chosen = { cluster, elections: this.cluster };
    const replica = joinReplicas({ chosen, shards: SHARDS, clock, random, log: silentLog, lifetimes, bootId: name });
    for (const application of APPLICATIONS) this.#shardOf.set(application, replica.rights.shardOf?.(`${NS}/${application}`) ?? 0);
    const record = async (entry: RecordEntry) => {
      if (!this.record.has(entry.id)) this.record.set(entry.id, entry);
    };
    const deps = {
      ...replica.rights,
      informers,
      clock,
      random: this.#random,
      ids: this.#ids,
      log: silentLog,
      metrics: createMetrics(),
      record,
    };
    const engines = createEngines(() => ({ mode: 'drive', why: null }), deps, { status: liveStatusOf(informers, clock) });
    for (const engine of engines) lifetimes.use(engine.name, engine);
    this.#running.set(name, lifetimes);
    await this.drive(Promise.all(engines.map((engine) => engine.start())));
    replica.start();
  }

  /** Ends a replica as SIGTERM does. */
  async stop(name: string): Promise<void> {
    const lifetimes = this.#running.get(name);
    this.#running.delete(name);
    if (lifetimes !== undefined) await this.drive(lifetimes[Symbol.asyncDispose]());
  }

  /** Which replica holds each shard. */
  async holders(): Promise<readonly (string | undefined)[]> {
    return Promise.all(Array.from({ length: SHARDS }, (_, shard) => this.#holderOf(shard)));
  }

  async apply(image: string): Promise<void> {
    for (const name of APPLICATIONS) {
      const wanted = aStorefront({ name, image, replicas: 2 });
      const found = await this.get(KINDS.application, name);
      if (found === undefined) await this.cluster.create({ ...wanted, metadata: { name, namespace: NS } });
      else await this.cluster.patch({ ...KINDS.application, namespace: NS, name }, { type: 'merge', body: { spec: wanted.spec } });
    }
  }

  /** True when every rollout came to rest on its revision of that number. */
  async restsOn(revision: number): Promise<boolean> {
    for (const name of APPLICATIONS) {
      const rollout = await this.get(KINDS.rolloutOrchestrator, name);
      const target = readString(rollout, 'spec', 'targetRevisions', 0, 'revisionName');
      const seen = readNumber(rollout, 'status', 'observedGeneration') === rollout?.metadata.generation;
      if (target !== `${name}-v${revision}` || !seen || getCondition(rollout, 'Ready')?.status !== 'True') return false;
    }
    return true;
  }

  get(type: TypeRef, name: string): Promise<KubeObject | undefined> {
    return this.cluster.get({ ...type, namespace: NS, name }).catch(() => undefined);
  }

  async until(what: string, isSo: () => Promise<boolean>): Promise<void> {
    for (let moved = 0; moved < LIMIT_MS; moved += STEP_MS) {
      if (await isSo()) return;
      await this.clock.advance(STEP_MS);
    }
    throw new Error(`waited in vain until ${what}`);
  }

  /** Awaits work whose timers only run when the clock moves. */
  async drive<T>(work: Promise<T> | PromiseLike<T>): Promise<T> {
    let done = false;
    const finished = Promise.resolve(work).finally(() => {
      done = true;
    });
    finished.catch(() => undefined); // awaited below
    await this.clock.settle();
    for (let moved = 0; !done && moved < LIMIT_MS; moved += STEP_MS) await this.clock.advance(STEP_MS);
    return finished;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const name of [...this.#running.keys()]) await this.stop(name);
    await this.drive(this.#end());
  }

  async #holderOf(shard: number): Promise<string | undefined> {
    const at = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', namespace: SERVER_NAMESPACE, name: `slipway-shard-${shard}` };
    const lease = await this.cluster.get(at).catch(() => undefined);
    return readString(lease, 'spec', 'holderIdentity')?.split('_').at(-1);
  }

  #noting(by: string, cluster: Cluster = this.cluster): Cluster {
    const note = async (verb: string, { kind, name = '' }: { readonly kind: string; readonly name?: string | undefined }) => {
      const application = APPLICATIONS.find((one) => name === one || name.startsWith(`${one}-`)) ?? `none of ours: ${kind}/${name}`;
      this.written.push({
        by,
        application,
        what: `${verb} ${kind}/${name}`,
        holder: await this.#holderOf(this.#shardOf.get(application) ?? 0),
      });
    };
    const named = ({ kind, metadata }: KubeObject) => ({ kind, name: metadata.name });
    return {
      ...cluster,
      create: async (object, options) => {
        const created = await cluster.create(object, options);
        // A question about somebody's rights is created and never there.
        if (!created.kind.endsWith('Review')) await note(options?.dryRun ? 'dry-run' : 'create', named(created));
        return created;
      },
      update: async (object, options) => {
        await note('update', named(object));
        return cluster.update(object, options);
      },
      patch: async (at, patch, options) => {
        await note('patch', at);
        return cluster.patch(at, patch, options);
      },
      delete: async (at, options) => {
        await note('delete', at);
        return cluster.delete(at, options);
      },
      as: (person) => this.#noting(by, cluster.as(person)),
    };
  }
}

function byApplication(written: readonly Written[]): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  for (const { application, by } of written) found.set(application, (found.get(application) ?? new Set()).add(by));
  return found;
}

describe('replicas that share the work', () => {
  it('[leadership 0010.8] each application is handled by one replica; what a replica leaves the other takes over, and nothing is done twice', async () => {
    await using fleet = await new Fleet().open();
    await fleet.start('a');
    await fleet.start('b');
    await fleet.until(
      'each holds a shard',
      async () => new Set((await fleet.holders()).filter((one) => one === 'a' || one === 'b')).size === 2,
    );
    const [first] = await fleet.holders();

    await fleet.apply('registry.example.com/web:1');
    await fleet.until('the first revisions are at rest', () => fleet.restsOn(1));
    await fleet.apply('registry.example.com/web:2');
    await fleet.until('the second revisions are at rest', () => fleet.restsOn(2));
    const handlers = byApplication(fleet.written);
    expect([...handlers.keys()].sort()).toEqual([...APPLICATIONS]);
    expect([...handlers.values()].map((replicas) => replicas.size)).toEqual(APPLICATIONS.map(() => 1));
    expect(new Set([...handlers.values()].flatMap((replicas) => [...replicas]))).toEqual(new Set(['a', 'b']));

    // The change is under way in both halves when one replica goes.
    await fleet.apply('registry.example.com/web:3');
    await fleet.clock.advance(100);
    const leaving = first ?? 'a';
    const staying = leaving === 'a' ? 'b' : 'a';
    await fleet.stop(leaving);
    const left = fleet.written.length;
    expect(await fleet.restsOn(3)).toBe(false);
    await fleet.until('the third revisions are at rest', () => fleet.restsOn(3));
    expect(await fleet.holders()).toEqual([staying, staying]);
    expect(new Set(fleet.written.slice(left).map(({ by }) => by))).toEqual(new Set([staying]));
    expect(new Set(fleet.written.slice(left).map(({ application }) => application))).toEqual(new Set(APPLICATIONS));

    expect(fleet.written.filter(({ by, holder }) => by !== holder)).toEqual([]);
    const created = fleet.written.map(({ what }) => what).filter((what) => what.startsWith('create '));
    expect(created.length).toBeGreaterThan(0);
    expect(created.filter((what, at) => created.indexOf(what) !== at)).toEqual([]);
  });
});
