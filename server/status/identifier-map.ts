import type { GroupKind, ObjMetadata } from './identifier';

/** Values by kind. */
export class KindMap<Value> {
  readonly #byKind = new Map<string, Map<string, Value>>();

  get({ group, kind }: GroupKind): Value | undefined {
    return this.#byKind.get(kind)?.get(group);
  }

  set({ group, kind }: GroupKind, value: Value): void {
    const groups = this.#byKind.get(kind);
    if (groups === undefined) this.#byKind.set(kind, new Map([[group, value]]));
    else groups.set(group, value);
  }

  *values(): Iterable<Value> {
    for (const groups of this.#byKind.values()) yield* groups.values();
  }
}

/** Values by kind and namespace: one for each list of a cluster. */
export class CollectionMap<Value> {
  readonly #kinds = new KindMap<Map<string, Value>>();

  get(of: GroupKind, namespace: string): Value | undefined {
    return this.#kinds.get(of)?.get(namespace);
  }

  set(of: GroupKind, namespace: string, value: Value): void {
    const namespaces = this.#kinds.get(of);
    if (namespaces === undefined) this.#kinds.set(of, new Map([[namespace, value]]));
    else namespaces.set(namespace, value);
  }

  delete(of: GroupKind, namespace: string): void {
    this.#kinds.get(of)?.delete(namespace);
  }
}

/** Values by identifier. Maps within maps, since a poll looks up tens of thousands: joining the parts to one key costs more than the rest. */
export class IdentifierMap<Value> {
  readonly #collections = new CollectionMap<Map<string, Value>>();

  get(identifier: ObjMetadata): Value | undefined {
    return this.#collections.get(identifier, identifier.namespace)?.get(identifier.name);
  }

  set(identifier: ObjMetadata, value: Value): void {
    const names = this.#collections.get(identifier, identifier.namespace);
    if (names === undefined) this.#collections.set(identifier, identifier.namespace, new Map([[identifier.name, value]]));
    else names.set(identifier.name, value);
  }
}
