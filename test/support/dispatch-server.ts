import { isFields, readString } from '@/lib/kube/fields';
import type { KubeObject, ObjectAddress, TypeRef } from '@/lib/kube/object';
import { groupOf } from '@/lib/kube/object';
import type { KubeClient } from '@/server/dispatch';
import type { ApiResource, DeleteOptions, KindRef, ListPage, WriteOptions } from '@/server/kube';
import { KubeApiError, NoMatchError, toApiVersion } from '@/server/kube';
import { applyMergePatch, applyStrategicPatch } from './dispatch-merge';

type Verb = 'get' | 'list' | 'create' | 'patch' | 'update' | 'updateStatus' | 'delete' | 'dryRun';

/** The next `times` matching requests fail. `updateStatus` stands for whichever request writes a tracker's record. */
export interface Fault {
  readonly verb: Verb;
  readonly kind?: string | null | undefined;
  readonly name?: string | null | undefined;
  readonly code: number;
  readonly times: number;
}

/** One request as the server saw it. */
export interface SeenRequest {
  readonly verb: Verb;
  readonly key: string;
  readonly kind: string;
  readonly succeeded: boolean;
}

const CLUSTER_SCOPED: ReadonlySet<string> = new Set([
  '/PersistentVolume',
  '/Namespace',
  'apiextensions.k8s.io/CustomResourceDefinition',
  'rbac.authorization.k8s.io/ClusterRole',
  'core.oam.dev/ResourceTracker',
  'fleet.example.dev/Beacon',
]);

const REASONS: Readonly<Record<number, string>> = {
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Conflict',
  410: 'Expired',
  422: 'Invalid',
  429: 'TooManyRequests',
};

/** The key of the cases: `apiVersion|kind|namespace|name`. */
export function caseKey(at: ObjectAddress): string {
  return `${at.apiVersion}|${at.kind}|${at.namespace ?? ''}|${at.name}`;
}

/** The fake API server that the dispatch cases assume, rules F1 to F8. No defaults are filled in. */
export class FakeApiServer implements KubeClient {
  readonly requests: SeenRequest[] = [];
  readonly #objects = new Map<string, KubeObject>();
  readonly #faults: { -readonly [K in keyof Fault]: Fault[K] }[] = [];
  readonly #generatedNames: string[];
  /** A real server establishes custom resource definitions; the cases know of none. */
  establishes = false;
  #version = 100;
  /** Called before each request is answered, as another writer would be in between. */
  onRequest: (verb: Verb, at: ObjectAddress) => void = () => undefined;
  /** Called after a request succeeded and before its answer arrives; throwing loses the answer. */
  onAnswer: (verb: Verb, at: ObjectAddress) => void = () => undefined;
  /** Called after each change of an object, as a watch would tell. */
  readonly watchers = new Set<(before: KubeObject | undefined, after: KubeObject | undefined) => void>();

  constructor(generatedNames: readonly string[] = []) {
    this.#generatedNames = [...generatedNames];
  }

  readonly discovery = {
    resolve: async (type: TypeRef): Promise<ApiResource> => {
      if (!type.kind) throw new NoMatchError(type);
      const group = groupOf(type.apiVersion);
      const version = type.apiVersion.slice(type.apiVersion.indexOf('/') + 1);
      const plural = `${type.kind.toLowerCase()}s`;
      const namespaced = !CLUSTER_SCOPED.has(`${group}/${type.kind}`);
      return {
        group,
        version,
        kind: type.kind,
        plural,
        singular: plural.slice(0, -1),
        shortNames: [],
        categories: [],
        namespaced,
        verbs: [],
        subresources: [],
      };
    },
    resolveKind: ({ group, kind, version = 'v1' }: KindRef): Promise<ApiResource> =>
      this.discovery.resolve({ apiVersion: toApiVersion({ group, version }), kind }),
    all: async () => [],
    invalidate: () => undefined,
  };

  addFaults(faults: readonly Fault[]): void {
    this.#faults.push(...faults.map((fault) => ({ ...fault })));
  }

  clearFaults(): void {
    this.#faults.length = 0;
  }

  /** Puts an object in place, as if it had been there before. */
  seed(object: KubeObject): void {
    this.#store({ ...object, metadata: { ...object.metadata, uid: object.metadata.uid ?? this.#uidOf(object) } });
  }

  peek(at: ObjectAddress): KubeObject | undefined {
    const found = this.#objects.get(this.#keyOf(at));
    return found === undefined ? undefined : { ...structuredClone(found), apiVersion: at.apiVersion };
  }

  all(): KubeObject[] {
    return [...this.#objects.values()];
  }

  async get(at: ObjectAddress): Promise<KubeObject> {
    this.#enter('get', at);
    const found = this.peek(at);
    if (found === undefined) throw this.#note('get', at, failure(404, `${at.kind} "${at.name}" not found`));
    this.#note('get', at);
    return found;
  }

  async *list(of: TypeRef & { readonly namespace?: string }, options: { readonly labelSelector?: string } = {}): AsyncIterable<ListPage> {
    this.#enter('list', { ...of, name: '' });
    const wanted = (options.labelSelector ?? '').split(',').filter((part) => part !== '');
    const matches = (object: KubeObject) =>
      groupOf(object.apiVersion) === groupOf(of.apiVersion) &&
      object.kind === of.kind &&
      (of.namespace === undefined || object.metadata.namespace === of.namespace) &&
      wanted.every((part) => object.metadata.labels?.[part.slice(0, part.indexOf('='))] === part.slice(part.indexOf('=') + 1));
    this.#note('list', { ...of, name: '' });
    yield {
      items: this.all()
        .filter(matches)
        .map((object) => structuredClone(object)),
      resourceVersion: String(this.#version),
    };
  }

  async create(object: KubeObject, { dryRun = false }: WriteOptions = {}): Promise<KubeObject> {
    const verb = dryRun ? 'dryRun' : 'create';
    const { generateName } = object.metadata;
    const name = object.metadata.name || `${generateName ?? ''}${this.#generatedNames.shift() ?? 'x'}`;
    const at = { apiVersion: object.apiVersion, kind: object.kind, namespace: object.metadata.namespace ?? '', name };
    this.#enter(verb, at);
    const placed = this.#place({ ...object, metadata: { ...object.metadata, name } });
    if (this.#objects.has(this.#keyOf(at)))
      throw this.#note(verb, at, failure(409, `${at.kind} "${name}" already exists`, 'AlreadyExists'));
    this.#admit(verb, at, placed);
    if (dryRun) {
      this.#note(verb, at);
      return placed;
    }
    const established =
      this.establishes && at.kind === 'CustomResourceDefinition'
        ? { status: { conditions: [{ type: 'Established', status: 'True' }] } }
        : {};
    const created = this.#store({ ...placed, ...established, metadata: { ...placed.metadata, uid: this.#uidOf(placed), generation: 1 } });
    this.#note(verb, at);
    return structuredClone(created);
  }

  async update(object: KubeObject, options: WriteOptions = {}): Promise<KubeObject> {
    const { name = '', namespace = '' } = object.metadata;
    const at = { apiVersion: object.apiVersion, kind: object.kind, namespace, name };
    const verb = options.subresource === 'status' || object.kind === 'ResourceTracker' ? 'updateStatus' : 'update';
    this.#enter(verb, at);
    const live = this.peek(at);
    if (live === undefined) throw this.#note(verb, at, failure(404, `${at.kind} "${name}" not found`));
    const stale = object.metadata.resourceVersion !== undefined && object.metadata.resourceVersion !== live.metadata.resourceVersion;
    if (stale) throw this.#note(verb, at, failure(409, `${at.kind} "${name}" was changed`));
    const merged: KubeObject =
      options.subresource === 'status'
        ? { ...live, status: object.status }
        : { ...object, ...(live.status ? { status: live.status } : {}) };
    const generation = (live.metadata.generation ?? 1) + (JSON.stringify(merged.spec) === JSON.stringify(live.spec) ? 0 : 1);
    const written = this.#store(
      this.#place({ ...merged, metadata: { ...merged.metadata, ...(live.metadata.uid ? { uid: live.metadata.uid } : {}), generation } }),
    );
    this.#note(verb, at);
    return structuredClone(written);
  }

  async patch(
    at: ObjectAddress,
    patch: { readonly type: string; readonly body: unknown },
    { dryRun = false }: WriteOptions = {},
  ): Promise<KubeObject> {
    const verb = dryRun ? 'dryRun' : 'patch';
    this.#enter(verb, at);
    const live = this.peek(at);
    if (live === undefined) throw this.#note(verb, at, failure(404, `${at.kind} "${at.name}" not found`));
    const body = isFields(patch.body) ? patch.body : {};
    const version = readString(body, 'metadata', 'resourceVersion');
    if ((version ?? live.metadata.resourceVersion) !== live.metadata.resourceVersion)
      throw this.#note(verb, at, failure(409, `${at.kind} "${at.name}" was changed`));
    const patched = patch.type === 'strategic' ? applyStrategicPatch(live, body) : applyMergePatch(live, body);
    const placed = this.#place(patched as KubeObject); // a patch of an object is an object
    this.#admit(verb, at, placed);
    if (dryRun) {
      this.#note(verb, at);
      return placed;
    }
    const generation = (live.metadata.generation ?? 1) + (JSON.stringify(placed.spec) === JSON.stringify(live.spec) ? 0 : 1);
    const written = this.#store({ ...placed, metadata: { ...placed.metadata, generation } });
    this.#note(verb, at);
    return structuredClone(written);
  }

  async delete(at: ObjectAddress, options: DeleteOptions = {}): Promise<KubeObject> {
    this.#enter('delete', at);
    const live = this.peek(at);
    if (live === undefined) throw this.#note('delete', at, failure(404, `${at.kind} "${at.name}" not found`));
    const { uid, resourceVersion } = options.preconditions ?? {};
    const differs =
      (uid ?? live.metadata.uid) !== live.metadata.uid ||
      (resourceVersion ?? live.metadata.resourceVersion) !== live.metadata.resourceVersion;
    if (differs) throw this.#note('delete', at, failure(409, `the preconditions on ${at.kind} "${at.name}" do not hold`));
    if ((live.metadata.finalizers ?? []).length > 0)
      this.#store({ ...live, metadata: { ...live.metadata, deletionTimestamp: '2026-01-01T09:00:00Z' } });
    else this.#remove(live);
    if (options.propagationPolicy === 'Orphan') this.#orphan(live.metadata.uid);
    this.#note('delete', at);
    return live;
  }

  /** The cluster's own garbage collector: objects whose owners are all gone go, repeatedly. Answers what went. */
  cascade(): string[] {
    const removed: string[] = [];
    for (let again = true; again; ) {
      again = false;
      const alive = new Set(this.all().map((object) => object.metadata.uid));
      for (const object of this.all()) {
        const owners = object.metadata.ownerReferences ?? [];
        const left = owners.filter((owner) => alive.has(owner.uid));
        if (left.length === owners.length) continue;
        if (left.length > 0) this.#store({ ...object, metadata: { ...object.metadata, ownerReferences: left } });
        else {
          this.#remove(object);
          removed.push(
            caseKey({
              apiVersion: object.apiVersion,
              kind: object.kind,
              namespace: object.metadata.namespace ?? '',
              name: object.metadata.name ?? '',
            }),
          );
          again = true;
        }
      }
    }
    return removed;
  }

  #keyOf({ apiVersion, kind, namespace, name }: { apiVersion: string; kind: string; namespace?: string; name: string }): string {
    const group = groupOf(apiVersion);
    return `${group}|${kind}|${CLUSTER_SCOPED.has(`${group}/${kind}`) ? '' : (namespace ?? '')}|${name}`;
  }

  #place(object: KubeObject): KubeObject {
    if (!CLUSTER_SCOPED.has(`${groupOf(object.apiVersion)}/${object.kind}`)) return object;
    const { namespace: _dropped, ...metadata } = object.metadata;
    return { ...object, metadata };
  }

  #store(object: KubeObject): KubeObject {
    const placed = this.#place(object);
    const { name = '', namespace } = placed.metadata;
    const key = this.#keyOf({ apiVersion: placed.apiVersion, kind: placed.kind, name, ...(namespace ? { namespace } : {}) });
    const before = this.#objects.get(key);
    this.#version += 1;
    const stored = structuredClone({ ...placed, metadata: { ...placed.metadata, resourceVersion: String(this.#version) } });
    const held = (object: KubeObject | undefined) => (object?.metadata.finalizers ?? []).length > 0;
    // What is being deleted goes with its last finalizer; one that a case puts in place without any stays until a DELETE.
    const done = stored.metadata.deletionTimestamp !== undefined && held(before) && !held(stored);
    if (done) this.#objects.delete(key);
    else this.#objects.set(key, stored);
    for (const watcher of this.watchers) watcher(before, done ? undefined : stored);
    return stored;
  }

  #orphan(uid: string | undefined): void {
    for (const object of this.all()) {
      const owners = object.metadata.ownerReferences ?? [];
      if (owners.some((owner) => owner.uid === uid))
        this.#store({ ...object, metadata: { ...object.metadata, ownerReferences: owners.filter((owner) => owner.uid !== uid) } });
    }
  }

  #remove(object: KubeObject): void {
    const { name = '', namespace } = object.metadata;
    this.#objects.delete(this.#keyOf({ apiVersion: object.apiVersion, kind: object.kind, name, ...(namespace ? { namespace } : {}) }));
    for (const watcher of this.watchers) watcher(object, undefined);
  }

  #uidOf(object: KubeObject): string {
    const { name = '', namespace } = this.#place(object).metadata;
    return namespace ? `uid:${object.kind}/${namespace}/${name}` : `uid:${object.kind}/${name}`;
  }

  #admit(verb: Verb, at: ObjectAddress, object: KubeObject): void {
    const controllers = (object.metadata.ownerReferences ?? []).filter((owner) => owner.controller === true);
    if (controllers.length > 1)
      throw this.#note(
        verb,
        at,
        failure(422, `${at.kind} "${at.name}" is invalid: metadata.ownerReferences: only one may be the controller`),
      );
  }

  #enter(verb: Verb, at: ObjectAddress): void {
    this.onRequest(verb, at);
    const fault = this.#faults.find(
      (one) => one.times > 0 && one.verb === verb && (one.kind ?? at.kind) === at.kind && (one.name ?? at.name) === at.name,
    );
    if (fault === undefined) return;
    fault.times -= 1;
    throw this.#note(verb, at, failure(fault.code, `${verb} of ${at.kind} "${at.name}" fails`));
  }

  #note<Failure extends Error>(verb: Verb, at: ObjectAddress, error?: Failure): Failure | undefined {
    const { namespace: _namespace, ...rest } = at;
    const scoped = CLUSTER_SCOPED.has(`${groupOf(at.apiVersion)}/${at.kind}`) ? rest : at;
    this.requests.push({ verb, key: caseKey(scoped), kind: at.kind, succeeded: error === undefined });
    if (error === undefined) this.onAnswer(verb, at);
    return error;
  }
}

function failure(code: number, message: string, reason = REASONS[code] ?? 'InternalError'): KubeApiError {
  return new KubeApiError({ code, reason, message });
}
