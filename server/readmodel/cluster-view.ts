import { readString } from '@/lib/kube/fields';
import { KINDS, LABELS } from '@/lib/kube/kinds';
import type { KubeObject, ObjectKey, TypeRef } from '@/lib/kube/object';
import { groupOf, toObjectKey } from '@/lib/kube/object';
import type { Informers, Store, StoreChange, StoreUse } from '@/server/kube';
import { OWNER_INDEX } from '@/server/kube';
import type { Clock, Release } from '@/server/platform';

const UID_INDEX = 'uid';
/** Finds objects of a kind by the application that they belong to. */
export const APP_INDEX = 'application';
const MAX_OWNER_DEPTH = 6;

/** Kinds whose objects appear below others in a tree although no tracker lists them. */
const GENERATED: readonly TypeRef[] = [KINDS.replicaSet, KINDS.pod, KINDS.endpointSlice];

/** Kinds that Slipway keeps about an application: while none of one may be read nobody knows what there is, and no tracker lists any. */
export const OWN_KINDS: readonly TypeRef[] = [
  KINDS.application,
  KINDS.applicationRevision,
  KINDS.resourceTracker,
  KINDS.rolloutOrchestrator,
  KINDS.stagePodAutoscaler,
  KINDS.stageDecision,
];
const OWN: ReadonlySet<string> = new Set(OWN_KINDS.map(kindKey));

/** A change as projections hear it: the kind and the copies before and after. */
export interface ViewChange extends StoreChange {
  readonly type: TypeRef;
}

/** Names a kind whatever its version. */
export function kindKey(type: TypeRef): string {
  return `${groupOf(type.apiVersion)}/${type.kind}`;
}

/** True for one of ours, whatever its version. */
export function isOwnKind(type: TypeRef): boolean {
  return OWN.has(kindKey(type));
}

/** The copies of the cluster that projections read. Kinds are opened when first needed and stay open. */
export class ClusterView implements AsyncDisposable {
  /** By which the age of the copies is judged. */
  readonly clock: Pick<Clock, 'now'>;
  readonly #informers: Informers;
  readonly #uses = new Map<string, StoreUse>();
  readonly #listeners = new Set<(change: ViewChange) => void>();
  readonly #healthListeners = new Set<(type: TypeRef) => void>();

  constructor(informers: Informers, clock: Pick<Clock, 'now'>) {
    this.#informers = informers;
    this.clock = clock;
    for (const type of [...Object.values(KINDS), ...GENERATED]) this.open(type);
  }

  /** Whether the cluster has a kind, as far as anybody knows. */
  serves(type: TypeRef): boolean {
    const { state } = this.open(type).health();
    return state.kind !== 'retrying' || state.isMissing !== true;
  }

  /** The store of a kind, opened on first use; projections hear its changes from then on, replayed. */
  open({ apiVersion, kind }: TypeRef): Store {
    const type = { apiVersion, kind }; // callers pass whole objects and entries; a namespace of theirs must not narrow the store
    const held = this.#uses.get(kindKey(type));
    if (held !== undefined) return held.store;
    const use = this.#informers.open(type);
    this.#uses.set(kindKey(type), use);
    use.store.addIndex(UID_INDEX, (object) => (object.metadata.uid ? [object.metadata.uid] : []));
    use.store.addIndex(APP_INDEX, applicationKeys);
    use.store.subscribe((change) => {
      for (const listener of this.#listeners) listener({ ...change, type });
    });
    use.store.onHealth(() => {
      for (const listener of this.#healthListeners) listener(type);
    });
    return use.store;
  }

  /** Hears every change of every open kind, those replayed when a kind is opened included. */
  onChange(listener: (change: ViewChange) => void): Release {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Hears when a kind begins or ceases to be listed, watched or lost. */
  onHealth(listener: (type: TypeRef) => void): Release {
    this.#healthListeners.add(listener);
    return () => void this.#healthListeners.delete(listener);
  }

  get(type: TypeRef, key: ObjectKey): KubeObject | undefined {
    return this.open(type).get(key);
  }

  /** Objects of a kind that carry the labels of an application. */
  ofApplication(type: TypeRef, applicationKey: ObjectKey): readonly KubeObject[] {
    return this.open(type).byIndex(APP_INDEX, applicationKey);
  }

  /** Generated objects whose owner has this uid. */
  children(uid: string): readonly KubeObject[] {
    return GENERATED.flatMap((type) => this.open(type).byIndex(OWNER_INDEX, uid));
  }

  /** Every object of an open kind that names this uid among its owners. */
  ownedBy(uid: string): readonly KubeObject[] {
    return this.stores().flatMap((store) => store.byIndex(OWNER_INDEX, uid));
  }

  /** The object itself and its owners, from the bottom up, as far as they are known. */
  lineage(object: KubeObject): readonly KubeObject[] {
    const line = [object];
    for (let at = object; line.length < MAX_OWNER_DEPTH; ) {
      const owner = at.metadata.ownerReferences?.find((reference) => reference.controller) ?? at.metadata.ownerReferences?.[0];
      const next = owner && this.#uses.get(kindKey(owner))?.store.byIndex(UID_INDEX, owner.uid)[0];
      if (!next) break;
      line.push(next);
      at = next;
    }
    return line;
  }

  stores(): readonly Store[] {
    return [...this.#uses.values()].map((use) => use.store);
  }

  /** Stores of the kinds that are open, each once. */
  storesOf(types: readonly TypeRef[]): readonly Store[] {
    return [...new Set(types.map(kindKey))].flatMap((kind) => this.#uses.get(kind)?.store ?? []);
  }

  /** The store of a kind that is open, whatever its version. */
  storeOfKind({ group, kind }: { readonly group: string; readonly kind: string }): Store | undefined {
    return this.#uses.get(`${group}/${kind}`)?.store;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const use of this.#uses.values()) use.release();
    this.#uses.clear();
  }
}

/** Keys (`namespace/name`) of the applications whose labels an object carries, trackers and Knative kinds included; of a decision that of the one it is about. */
export function applicationKeys(object: KubeObject): readonly ObjectKey[] {
  if (object.kind === KINDS.stageDecision.kind && object.apiVersion === KINDS.stageDecision.apiVersion) return decidedFor(object);
  const labels = object.metadata.labels ?? {};
  const name = labels[LABELS.appName] ?? labels[LABELS.rolloutService];
  const namespace = labels[LABELS.appNamespace] ?? object.metadata.namespace;
  return name && namespace ? [toObjectKey({ namespace, name })] : [];
}

/** A rollout is called like its application. */
function decidedFor(decision: KubeObject): readonly ObjectKey[] {
  const name = readString(decision, 'spec', 'rolloutRef', 'name') ?? readString(decision, 'spec', 'applicationRef', 'name');
  return name === undefined ? [] : [toObjectKey({ namespace: decision.metadata.namespace, name })];
}
