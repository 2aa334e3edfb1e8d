import { isFields, readFields, readList, readNumber } from '@/lib/kube/fields';
import type { KubeObject, ObjectAddress, TypeRef } from '@/lib/kube/object';
import { groupOf, toObjectKey } from '@/lib/kube/object';
import { deepEqual } from '@/lib/std/deep-equal';
import { toKubeTime } from '@/lib/std/instant';
import type { ControllerHost, HostChange } from '@/server/embedded/host';
import type { Cluster, DeleteOptions, PatchBody, WriteOptions } from '@/server/kube';
import { KubeApiError, NoMatchError } from '@/server/kube';
import { createRandom } from '@/server/platform';
import { ManualClock } from '@/test/support/manual-clock';
import { createSeededIds } from '../../../support/seeded-ids';
import { silentLog } from '../../../support/silent-log';

const idOf = (type: TypeRef) => `${groupOf(type.apiVersion)}/${type.kind}`;
const CLUSTER_SCOPED = new Set(['Namespace', 'Node', 'PersistentVolume', 'ClusterThing']);
const fail = (code: number, reason: string) => new KubeApiError({ code, reason, message: reason });

/** The least store that controllers can stand on: versions, generations, finalizers, grace. No schema, no defaults, no rights. */
export class FakeHost implements ControllerHost {
  readonly clock = new ManualClock();
  readonly random = createRandom(7);
  readonly ids = createSeededIds(createRandom(11));
  readonly log = silentLog;
  readonly cluster: Cluster;
  writes = 0;
  /** Answers an error for creates that are to be refused. */
  refuse: (object: KubeObject) => Error | undefined = () => undefined;
  #version = 0;
  readonly #objects = new Map<string, Map<string, KubeObject>>();
  readonly #handlers = new Set<(change: HostChange) => void>();
  readonly #owned = new Map<string, Map<string, KubeObject>>();

  constructor() {
    const later =
      <Args extends unknown[], Result>(verb: (...args: Args) => Result) =>
      async (...args: Args) =>
        verb(...args);
    const resolve = async ({ kind }: TypeRef) => {
      if (kind === 'Unserved') throw new NoMatchError({ apiVersion: 'v1', kind });
      return { namespaced: !CLUSTER_SCOPED.has(kind), plural: `${kind.toLowerCase()}s` };
    };
    this.cluster = {
      discovery: { resolve } as unknown as Cluster['discovery'],
      get: later((at, options) => this.#read(at, options?.subresource)),
      create: later((object, options) => this.#create(object, options)),
      update: later((object, options) => this.#update(object, options)),
      patch: later((at, body) => this.#patch(at, body)),
      delete: later((at, options) => this.#delete(at, options)),
    } satisfies Partial<Cluster> as unknown as Cluster;
  }

  as(): ControllerHost {
    return this;
  }

  get(type: TypeRef, key: string): KubeObject | undefined {
    return this.#objects.get(idOf(type))?.get(key);
  }

  list(type: TypeRef, namespace?: string): readonly KubeObject[] {
    const all = [...(this.#objects.get(idOf(type))?.values() ?? [])];
    return namespace === undefined ? all : all.filter((object) => object.metadata.namespace === namespace);
  }

  ownedBy(uid: string): readonly KubeObject[] {
    return [...(this.#owned.get(uid)?.values() ?? [])];
  }

  byUid(uid: string): KubeObject | undefined {
    for (const kind of this.#objects.values()) for (const object of kind.values()) if (object.metadata.uid === uid) return object;
    return undefined;
  }

  types(): readonly TypeRef[] {
    return [...this.#objects.values()].flatMap((kind) => {
      const [first] = kind.values();
      return first ? [{ apiVersion: first.apiVersion, kind: first.kind }] : [];
    });
  }

  onChange(handler: (change: HostChange) => void): () => void {
    this.#handlers.add(handler);
    return () => void this.#handlers.delete(handler);
  }

  #create(object: KubeObject, options?: WriteOptions): KubeObject {
    const refusal = this.refuse(object);
    if (refusal) throw refusal;
    if (options?.subresource === 'binding') {
      const pod = this.#require({
        apiVersion: 'v1',
        kind: 'Pod',
        namespace: object.metadata.namespace ?? '',
        name: object.metadata.name ?? '',
      });
      this.#store({ ...pod, spec: { ...readFields(pod.spec), nodeName: readFields(object, 'target').name } }, pod);
      return object;
    }
    const name = object.metadata.name ?? `${object.metadata.generateName}${this.ids.suffix(5)}`;
    if (this.get(object, toObjectKey({ ...object.metadata, name }))) throw fail(409, 'AlreadyExists');
    const creationTimestamp = toKubeTime(this.clock.now());
    const metadata = {
      ...object.metadata,
      name,
      uid: this.ids.uuid(),
      creationTimestamp,
      ...(isFields(object.spec) ? { generation: 1 } : {}),
    };
    return this.#store({ ...structuredClone(object), metadata }, undefined);
  }

  #update(object: KubeObject, options?: WriteOptions): KubeObject {
    const before = this.#require({ ...object, namespace: object.metadata.namespace ?? '', name: object.metadata.name ?? '' });
    if (object.metadata.resourceVersion !== before.metadata.resourceVersion) throw fail(409, 'Conflict');
    if (options?.subresource === 'status') return this.#store({ ...before, status: object.status }, before);
    const status = before.status === undefined ? {} : { status: before.status };
    return this.#store({ ...object, ...status }, before);
  }

  #patch(at: ObjectAddress, patch: PatchBody): KubeObject {
    const before = this.#require(at);
    return this.#store(merge(before, patch.body) as KubeObject, before);
  }

  #delete(at: ObjectAddress, options?: DeleteOptions): KubeObject {
    const before = this.#require(at);
    if (options?.preconditions?.uid && options.preconditions.uid !== before.metadata.uid) throw fail(409, 'Conflict');
    const isBound = at.kind === 'Pod' && readFields(before, 'spec').nodeName !== undefined;
    const grace = options?.gracePeriodSeconds ?? (isBound ? (readNumber(before, 'spec', 'terminationGracePeriodSeconds') ?? 30) : 0);
    if (at.kind === 'Namespace' && before.metadata.deletionTimestamp === undefined) {
      return this.#store(
        { ...before, metadata: { ...before.metadata, deletionTimestamp: toKubeTime(this.clock.now()) }, status: { phase: 'Terminating' } },
        before,
      );
    }
    const finalizer = { Foreground: 'foregroundDeletion', Orphan: 'orphan', Background: undefined }[
      options?.propagationPolicy ?? 'Background'
    ];
    const finalizers = [...new Set([...(before.metadata.finalizers ?? []), ...(finalizer ? [finalizer] : [])])];
    const deletionTimestamp = before.metadata.deletionTimestamp ?? toKubeTime(this.clock.now());
    return this.#store(
      { ...before, metadata: { ...before.metadata, finalizers, deletionTimestamp, deletionGracePeriodSeconds: grace } },
      before,
    );
  }

  #read(at: ObjectAddress, subresource: string | undefined): KubeObject {
    const object = this.#require(at);
    if (subresource !== 'scale') return object;
    const { name = '', namespace = '' } = object.metadata;
    return {
      apiVersion: 'autoscaling/v1',
      kind: 'Scale',
      metadata: { name, namespace },
      spec: { replicas: readNumber(object, 'spec', 'replicas') ?? 0 },
    };
  }

  #require(at: ObjectAddress): KubeObject {
    const object = this.get(at, toObjectKey(at));
    if (!object) throw fail(404, 'NotFound');
    return object;
  }

  #store(object: KubeObject, before: KubeObject | undefined): KubeObject {
    if (before && deepEqual(before, object)) return before;
    this.writes++;
    const generation =
      before && isFields(object.spec)
        ? { generation: (before.metadata.generation ?? 1) + (deepEqual(before.spec, object.spec) ? 0 : 1) }
        : {};
    const after = deepFreeze({ ...object, metadata: { ...object.metadata, ...generation, resourceVersion: String(++this.#version) } });
    const { deletionTimestamp, deletionGracePeriodSeconds, finalizers = [] } = after.metadata;
    const isEmptied =
      object.kind === 'Namespace'
        ? readList(object, 'spec', 'finalizers').length === 0
        : deletionGracePeriodSeconds === 0 || object.kind !== 'Pod';
    const isGone = deletionTimestamp !== undefined && isEmptied && finalizers.length === 0;
    const key = toObjectKey(after.metadata);
    const kind = this.#objects.get(idOf(after)) ?? new Map<string, KubeObject>();
    this.#objects.set(idOf(after), kind);
    if (isGone) kind.delete(key);
    else kind.set(key, after);
    this.#index(before, isGone ? undefined : after);
    for (const handler of this.#handlers) handler({ type: after, key, before, after: isGone ? undefined : after });
    return after;
  }

  #index(before: KubeObject | undefined, after: KubeObject | undefined): void {
    for (const { uid } of before?.metadata.ownerReferences ?? []) this.#owned.get(uid)?.delete(before?.metadata.uid ?? '');
    for (const { uid } of after?.metadata.ownerReferences ?? []) {
      const owned = this.#owned.get(uid) ?? new Map<string, KubeObject>();
      this.#owned.set(uid, owned.set(after?.metadata.uid ?? '', after as KubeObject));
    }
  }
}

function merge(into: unknown, patch: unknown): unknown {
  if (!isFields(patch)) return patch;
  const result: Record<string, unknown> = { ...readFields(into) };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = merge(result[key], value);
  }
  return result;
}

function deepFreeze<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const member of Object.values(value)) deepFreeze(member);
  }
  return value;
}
