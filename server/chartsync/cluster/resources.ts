import { AppError } from '@/lib/contract/app-error';
import type { Fields } from '@/lib/kube/fields';
import { readFields } from '@/lib/kube/fields';
import { HELM_FINALIZER, nameOfKind, nameOfKinds } from '@/lib/kube/kinds';
import type { KubeObject, ObjectAddress, ObjectKey, TypeRef } from '@/lib/kube/object';
import { groupOf, toObjectId, toObjectKey } from '@/lib/kube/object';
import { exponentialBackOff, FinalizerClient } from '@/server/framework';
import type { Cluster, Store } from '@/server/kube';
import { EventRecorder, ignoreNotFound, isNoMatch } from '@/server/kube';
import type { Clock, Log, Random } from '@/server/platform';
import { KeyedMutex } from '../loops/keyed-mutex';
import type { DeclaredRelease, ExtendedRelease } from '../model/declared';
import { readDeclared } from '../model/declared';
import type { Impersonation } from '../model/impersonation';
import type { ReleaseRef } from '../model/release';
import { releaseKey } from '../model/release';
import type { ResourceEvent, ResourcePort } from '../ports';
import type { DataAddress } from '../values/resolve';
import { isDropped, KeptStatuses, withStatus } from './kept-statuses';

const COMPONENT = 'slipway-chartsync';
const FIELD_MANAGER = 'slipway.dev/chartsync';
const BY_RELEASE = 'release';
const AGAIN_MS = 3_600_000;
/** Whoever else writes the resource may come first, again and again. */
const MAX_RETRIES = 5;

interface ResourcesDeps {
  readonly cluster: Cluster;
  /** The cluster as the account that acts for a resource: what it may not read, the resource may not name. */
  readonly clusterFor: (who: Impersonation) => Cluster;
  /** Watched copies of the kinds that declare releases. */
  readonly stores: readonly Store[];
  /** Why nothing is to be done for one of these kinds. */
  readonly stoppedReason?: (kind: string) => string | null;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** Declares on the stores how resources are found by the release that they name. */
export function indexByRelease(store: Store): void {
  store.addIndex(BY_RELEASE, (object) => [releaseKey(readDeclared(object).release)]);
}

/** The watched copy of a kind; undefined where it is none of these. */
export function storeOf(stores: readonly Store[], type: TypeRef): Store | undefined {
  return stores.find(({ scope }) => nameOfKind(scope) === nameOfKind(type));
}

/** The resources that name a release, whatever their kind. */
export function claimantsIn(stores: readonly Store[], release: ReleaseRef): readonly DeclaredRelease[] {
  return stores.flatMap((store) => store.byIndex(BY_RELEASE, releaseKey(release)).map(readDeclared));
}

/** The resources that declare releases, from their watched copies, and what is written about them. */
export class Resources implements ResourcePort {
  readonly #deps: ResourcesDeps;
  readonly #recorder: EventRecorder;
  readonly #finalizers: FinalizerClient;
  readonly #kept = new KeptStatuses();
  readonly #mutex = new KeyedMutex();

  constructor(deps: ResourcesDeps) {
    this.#deps = deps;
    this.#recorder = new EventRecorder(COMPONENT, deps.clock);
    const { cluster, clock, random, log } = deps;
    this.#finalizers = new FinalizerClient({
      cluster: {
        get: (at, options) => cluster.get(at, options),
        patch: (at, patch, options) => cluster.patch(at, patch, { ...options, fieldManager: FIELD_MANAGER }),
      },
      clock,
      logger: log,
      backOffFactory: () => exponentialBackOff({ random, maxRetries: MAX_RETRIES }),
      finalizer: HELM_FINALIZER,
    });
  }

  async listNamespaces(): Promise<readonly string[]> {
    return [...new Set(this.#all().map(({ at }) => at.namespace ?? ''))].sort();
  }

  async listResources(namespace: string): Promise<readonly DeclaredRelease[]> {
    return this.#all(namespace).sort((a, b) => (a.at.name < b.at.name ? -1 : 1));
  }

  async read(at: ObjectAddress): Promise<DeclaredRelease | undefined> {
    const { cluster } = this.#deps;
    try {
      return await this.#mutex.run(toObjectId(at), async () => {
        const found = await ignoreNotFound(cluster.get(at));
        if (found === undefined) this.#kept.forget(toObjectId(at));
        return found && readDeclared(await this.#asKnown(at, found));
      });
    } catch (error) {
      if (isNoMatch(error) && (await isUndefined(cluster, at))) return undefined;
      throw error;
    }
  }

  async claimants(release: ReleaseRef): Promise<readonly DeclaredRelease[]> {
    return claimantsIn(this.#deps.stores, release);
  }

  copyOf(type: TypeRef, key: ObjectKey): ExtendedRelease | undefined {
    const held = storeOf(this.#deps.stores, type)?.get(key);
    const declared = held && readDeclared(held);
    return declared?.profile === 'extended' ? declared : undefined;
  }

  /** One after the other for a resource: what was read before a write says nothing of what was written. */
  async writeStatus(at: ObjectAddress, status: Fields): Promise<void> {
    const id = toObjectId(at);
    await this.#mutex.run(id, async () => {
      const members = { ...this.#kept.unwritten(id), ...status };
      if (!this.isStopped(at) && (await this.#wrote(at, members)) !== undefined) return;
      const copy = storeOf(this.#deps.stores, at)?.get(toObjectKey(at));
      this.#kept.keep(id, copy, status);
    });
  }

  /** The resource as it is once these members of its status are written; undefined where its definition drops them. */
  async #wrote(at: ObjectAddress, status: Fields): Promise<KubeObject | undefined> {
    const patch = { type: 'merge', body: { status } } as const;
    const told = await this.#deps.cluster.patch(at, patch, { subresource: 'status', fieldManager: FIELD_MANAGER });
    if (isDropped(status, told)) return undefined;
    this.#kept.saw(toObjectId(at), told);
    return told;
  }

  /** The resource with what this process knows its status to say, which is written again where it can be. */
  async #asKnown(at: ObjectAddress, found: KubeObject): Promise<KubeObject> {
    const missing = this.#kept.missingFrom(toObjectId(at), found);
    if (missing === undefined) {
      this.#kept.saw(toObjectId(at), found);
      return found;
    }
    const told = this.isStopped(at) ? undefined : await this.#wrote(at, missing);
    return told ?? withStatus(found, missing);
  }

  isStopped(type: TypeRef): boolean {
    return (this.#deps.stoppedReason?.(nameOfKind(type)) ?? null) !== null;
  }

  async recordEvent(at: ObjectAddress, event: ResourceEvent): Promise<void> {
    const { apiVersion, kind, namespace, name } = at;
    const known = storeOf(this.#deps.stores, at)?.get(toObjectKey(at));
    const about = known ?? { apiVersion, kind, metadata: { name, ...(namespace === undefined ? {} : { namespace }) } };
    // What is said at every pass is written once an hour: it says nothing new. The base kind says it of changes only.
    await this.#recorder.record(this.#deps.cluster, about, { ...event, quietMs: event.reason === 'ChartSynced' ? 0 : AGAIN_MS });
  }

  async addFinalizer(at: ObjectAddress): Promise<void> {
    await this.#finalizers.ensureAdded(at);
  }

  /** Lets a deleted resource go: nobody reads it again, so what is known of its status goes with it. */
  async removeFinalizer(at: ObjectAddress): Promise<void> {
    const id = toObjectId(at);
    await this.#mutex.run(id, async () => {
      await this.#finalizers.ensureRemoved(at);
      this.#kept.forget(id);
    });
  }

  async readData(at: DataAddress, onBehalfOf: Impersonation): Promise<Readonly<Record<string, string>> | undefined> {
    const object = await ignoreNotFound(this.#deps.clusterFor(onBehalfOf).get({ apiVersion: 'v1', ...at }));
    return (
      object && Object.fromEntries(Object.entries(readFields(object, 'data')).map(([key, value]) => [key, toText(at.kind, String(value))]))
    );
  }

  /** A copy that is not kept up is no list: a pass over it would be one over the past (R-LOOP-10). */
  #all(namespace?: string): DeclaredRelease[] {
    return this.#deps.stores.flatMap((store) => {
      if (this.isStopped(store.scope)) return [];
      const { state, synced } = store.health();
      if (state.kind === 'retrying' && state.isMissing) return []; // by a kind that the cluster does not serve nobody declares anything
      // One that the server was never let list, as before its role of this version is applied, holds up none of the others.
      if (state.kind === 'refused' && !synced && store.list().length === 0) return [];
      if (!synced || state.kind !== 'watching')
        throw new AppError('unavailable', `${nameOfKinds(store.scope)} are not watched now: ${state.kind}`);
      return store.list(namespace).map(readDeclared);
    });
  }
}

function toText(kind: 'Secret' | 'ConfigMap', value: string): string {
  return kind === 'Secret' ? Buffer.from(value, 'base64').toString('utf8') : value;
}

/** With the definition of a kind go its resources; one that only is not served for a while has them as before. */
export async function isUndefined(cluster: Pick<Cluster, 'get'>, { apiVersion, kind }: ObjectAddress): Promise<boolean> {
  const name = `${kind.toLowerCase()}s.${groupOf(apiVersion)}`;
  const found = await ignoreNotFound(cluster.get({ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', name }));
  return found === undefined;
}
