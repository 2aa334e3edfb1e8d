import type { Fields } from '@/lib/kube/fields';
import { isFields } from '@/lib/kube/fields';
import { HELM_FINALIZER } from '@/lib/kube/kinds';
import type { KubeObject, ObjectAddress, TypeRef } from '@/lib/kube/object';
import type { DeclaredRelease, ExtendedRelease } from '@/server/chartsync/model/declared';
import { readDeclared } from '@/server/chartsync/model/declared';
import type { ReleaseRef } from '@/server/chartsync/model/release';
import { releaseKey } from '@/server/chartsync/model/release';
import type { ResourceEvent, ResourcePort } from '@/server/chartsync/ports';
import type { DataAddress } from '@/server/chartsync/values/resolve';
import type { Faults } from './faults';
import type { Step, World } from './world';
import { toObject, toStoredStatus } from './world';

/** The API server as far as chart sync uses it. */
export class FakeResources implements ResourcePort {
  readonly events: { readonly key: string; readonly type: string; readonly reason: string }[] = [];
  statusWrites = 0;
  /** Kinds for which nothing is to be done. */
  readonly stopped = new Set<string>();
  readonly #objects = new Map<string, KubeObject>();
  readonly #given: World;
  readonly #faults: Faults;

  constructor(given: World, faults: Faults) {
    this.#given = given;
    this.#faults = faults;
    for (const resource of given.cluster.resources) this.put(toObject(resource));
  }

  get(key: string): KubeObject | undefined {
    return this.#objects.get(key);
  }

  put(object: KubeObject): void {
    this.#objects.set(readDeclared(object).key, object);
  }

  copyOf(_type: TypeRef, key: string): ExtendedRelease | undefined {
    const object = this.#objects.get(key);
    const declared = object && readDeclared(object);
    return declared?.profile === 'extended' ? declared : undefined;
  }

  remove(key: string): KubeObject | undefined {
    const object = this.#objects.get(key);
    this.#objects.delete(key);
    return object;
  }

  keys(): readonly string[] {
    return [...this.#objects.keys()];
  }

  /** Applies a step's change of a resource. */
  update(key: string, { spec, metadata, status }: Step): { readonly before: KubeObject; readonly after: KubeObject } {
    const before = this.#objects.get(key);
    if (before === undefined) throw new Error(`no resource ${key}`);
    const generation = (before.metadata.generation ?? 1) + (spec === undefined ? 0 : 1);
    const after: KubeObject = {
      ...before,
      metadata: { ...before.metadata, ...metadata, generation },
      ...(spec === undefined ? {} : { spec }),
      ...(isFields(status) ? { status: { ...(isFields(before.status) ? before.status : {}), ...toStoredStatus(status) } } : {}),
    };
    this.put(after);
    return { before, after };
  }

  async listNamespaces(): Promise<readonly string[]> {
    this.#faults.meet('listNamespaces');
    return this.#given.cluster.namespaces;
  }

  async listResources(namespace: string): Promise<readonly DeclaredRelease[]> {
    this.#faults.meet('listResources', { namespace });
    return this.#all().filter(({ at }) => at.namespace === namespace);
  }

  isStopped({ kind }: TypeRef): boolean {
    return this.stopped.has(kind);
  }

  async read(at: ObjectAddress): Promise<DeclaredRelease | undefined> {
    const object = this.#objects.get(`${at.namespace}/${at.name}`);
    return object && readDeclared(object);
  }

  async claimants(release: ReleaseRef): Promise<readonly DeclaredRelease[]> {
    return this.#all().filter((resource) => releaseKey(resource.release) === releaseKey(release));
  }

  async writeStatus(at: ObjectAddress, status: Fields): Promise<void> {
    const object = this.#objects.get(`${at.namespace}/${at.name}`);
    if (object === undefined) return;
    this.statusWrites++;
    this.put({ ...object, status: { ...(isFields(object.status) ? object.status : {}), ...status } });
  }

  async recordEvent(at: ObjectAddress, { type, reason }: ResourceEvent): Promise<void> {
    this.events.push({ key: `${at.namespace}/${at.name}`, type, reason });
  }

  async addFinalizer(at: ObjectAddress): Promise<void> {
    this.#setFinalizers(at, [HELM_FINALIZER]);
  }

  async removeFinalizer(at: ObjectAddress): Promise<void> {
    this.#setFinalizers(at, []);
  }

  async readData({ kind, namespace, name }: DataAddress): Promise<Readonly<Record<string, string>> | undefined> {
    const all = (kind === 'Secret' ? this.#given.cluster.secrets : this.#given.cluster.configMaps) ?? [];
    return all.find((each) => each.namespace === namespace && each.name === name)?.data;
  }

  #setFinalizers(at: ObjectAddress, finalizers: string[]): void {
    const object = this.#objects.get(`${at.namespace}/${at.name}`);
    if (object !== undefined) this.put({ ...object, metadata: { ...object.metadata, finalizers } });
  }

  #all(): readonly DeclaredRelease[] {
    return [...this.#objects.values()].map(readDeclared);
  }
}
