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
    scope.kind === type.kind && scope.namespace === undefined && scope.labelSelector === undefined && groupOf(scope.apiVersion) === groupOf(type.apiVersion)
  );
}

/** Counts the statuses of a kind as its objects change, so that nobody walks over all of them for one. */
class Tally {
  readonly #store: Store;
  #withStatus = 0;
  #oldest: Instant | undefined;

  constructor(store: Store) {
    this.#store = store;
    store.subscribe(({ before, after }) => this.#hear(before, after));
    this.#count();
  }

  read(): KindStatus {
    return { anyStatus: this.#withStatus > 0, oldest: this.#oldest };
  }

  #hear(before: KubeObject | undefined, after: KubeObject | undefined): void {
    const had = this.#withStatus > 0;
    this.#withStatus += Number(after !== undefined && hasStatus(after)) - Number(before !== undefined && hasStatus(before));
    if (after === undefined || (had && this.#withStatus === 0)) this.#findOldest();
    else this.#take(after);
  }

  #count(): void {
    this.#withStatus = this.#store.list().filter(hasStatus).length;
    this.#findOldest();
  }

  #findOldest(): void {
    this.#oldest = undefined;
    if (this.#withStatus > 0) return; // nobody asks for its age then
    for (const object of this.#store.list()) this.#take(object);
  }

  #take({ metadata }: KubeObject): void {
    const createdAt = parseKubeTime(metadata.creationTimestamp);
    if (createdAt !== undefined && (this.#oldest === undefined || createdAt < this.#oldest)) this.#oldest = createdAt;
  }
}

/** Whether a kind has a status: by its subresource, or else by the schema of its definition. */
async function readDefinition(type: TypeRef, { cluster }: ClusterFactsDeps): Promise<boolean | undefined> {
  const { plural, group, version, subresources } = await cluster.discovery.resolve(type);
  if (subresources.includes('status')) return true;
  const definition = await cluster.get({ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', name: `${plural}.${group}` });
  const served = readList(definition, 'spec', 'versions').find((one) => isFields(one) && one.name === version);
  const schema = readFields(served, 'schema', 'openAPIV3Schema');
  if (isFields(schema.properties) && isFields(schema.properties.status)) return true;
  return schema['x-kubernetes-preserve-unknown-fields'] === true ? undefined : false;
}
