import { isFields, readFields, readList } from '@/lib/kube/fields';
import type { KubeObject, TypeRef } from '@/lib/kube/object';
import { groupOf } from '@/lib/kube/object';
import type { Instant } from '@/lib/std/instant';
import { parseKubeTime, toInstant } from '@/lib/std/instant';
import type { Cluster, Informers, Store } from '@/server/kube';
import type { Clock } from '@/server/platform';
import type { ClusterFacts, KindStatus } from './kind-facts';
import { hasStatus } from './no-status';

/** For how long an answer about a definition is good; definitions change rarely, and rights with them. */
const GOOD_FOR_MS = 600_000;

export interface ClusterFactsDeps {
  readonly cluster: Pick<Cluster, 'discovery' | 'get'>;
  readonly informers: Pick<Informers, 'all'>;
  readonly clock: Pick<Clock, 'now'>;
}

interface Answer {
  readonly declares: boolean | undefined;
  readonly until: Instant;
}

/**
 * What the cluster tells of kinds, from copies that are held anyway and from each kind's definition, which is asked for once when the
 * first object without a status is met. Until then a kind is being asked about.
 */
export function createClusterFacts(deps: ClusterFactsDeps): ClusterFacts {
  const answers = new Map<string, Answer>();
  const asking = new Set<string>();
  const tallies = new WeakMap<Store, Tally>();

  const ask = async (type: TypeRef, key: string): Promise<void> => {
    asking.add(key);
    const declares = await readDefinition(type, deps).catch(() => undefined); // who may not look is told nothing
    answers.set(key, { declares, until: toInstant(deps.clock.now() + GOOD_FOR_MS) });
    asking.delete(key);
  };
  return {
    declaresStatus(type) {
      const key = `${type.apiVersion} ${type.kind}`;
      const known = answers.get(key);
      if ((known === undefined || known.until <= deps.clock.now()) && !asking.has(key)) void ask(type, key);
      return known === undefined ? 'asked' : known.declares;
    },
    statusOfKind(type) {
      const store = deps.informers.all().find((each) => holds(each, type));
      if (store === undefined || !store.health().synced) return undefined;
      const tally = tallies.get(store) ?? new Tally(store);
      tallies.set(store, tally);
      return tally.read();
    },
  };
}

/** Whether a store has all objects of a kind. */
function holds({ scope }: Store, type: TypeRef): boolean {
  return (
    scope.kind === type.kind &&
    scope.namespace === undefined &&
    scope.labelSelector === undefined &&
    !scope.metadataOnly &&
    groupOf(scope.apiVersion) === groupOf(type.apiVersion)
  );
}

/** Counts the statuses of a kind as its objects change, so that nobody walks over all of them for one. */
class Tally {
  readonly #store: Store;
  #withStatus = 0;
  /** Undefined where there is none; `unknown` until somebody asks, since those that go may go by the thousand. */
  #oldest: Instant | undefined | 'unknown' = 'unknown';

  constructor(store: Store) {
    this.#store = store;
    store.subscribe(({ before, after }) => this.#hear(before, after));
    this.#count();
  }

  read(): KindStatus {
    return { anyStatus: this.#withStatus > 0, oldest: this.#withStatus > 0 ? undefined : this.#readOldest() };
  }

  #hear(before: KubeObject | undefined, after: KubeObject | undefined): void {
    this.#withStatus += Number(after !== undefined && hasStatus(after)) - Number(before !== undefined && hasStatus(before));
    if (this.#oldest === 'unknown') return;
    if (after !== undefined) this.#oldest = earlier(this.#oldest, after);
    // Of all that go only the oldest leaves another one the oldest.
    else if (before !== undefined && this.#oldest !== undefined && earlier(undefined, before) === this.#oldest) this.#oldest = 'unknown';
  }

  #count(): void {
    this.#withStatus = this.#store.list().filter(hasStatus).length;
  }

  #readOldest(): Instant | undefined {
    if (this.#oldest !== 'unknown') return this.#oldest;
    this.#oldest = this.#store.list().reduce<Instant | undefined>(earlier, undefined);
    return this.#oldest;
  }
}

/** The earlier of a moment and when an object was made. */
function earlier(oldest: Instant | undefined, { metadata }: KubeObject): Instant | undefined {
  const createdAt = parseKubeTime(metadata.creationTimestamp);
  return createdAt !== undefined && (oldest === undefined || createdAt < oldest) ? createdAt : oldest;
}

/** Whether a kind has a status: by its subresource, or else by the schema of its definition. */
async function readDefinition(type: TypeRef, { cluster }: ClusterFactsDeps): Promise<boolean | undefined> {
  const { plural, group, version, subresources } = await cluster.discovery.resolve(type);
  if (subresources.includes('status')) return true;
  const definition = await cluster.get({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    name: `${plural}.${group}`,
  });
  const served = readList(definition, 'spec', 'versions').find((one) => isFields(one) && one.name === version);
  const schema = readFields(served, 'schema', 'openAPIV3Schema');
  if (isFields(schema.properties) && isFields(schema.properties.status)) return true;
  return schema['x-kubernetes-preserve-unknown-fields'] === true ? undefined : false;
}
