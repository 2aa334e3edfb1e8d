import type { KubeObject, ObjectKey } from '@/lib/kube/object';
import type { Release } from '@/server/platform';
import { freezeDeep } from './freeze-deep';
import { OwnerIndex } from './owner-index';
import { Table } from './table';

/** A committed change of one object. `last` is the object as it was when it went, at the version of its going. */
export type Change = {
  readonly version: number;
  /** The table: `deployments.apps`. */
  readonly storage: string;
  readonly key: ObjectKey;
} & (
  | { readonly before: KubeObject | undefined; readonly after: KubeObject; readonly last?: undefined }
  | { readonly before: KubeObject; readonly after: undefined; readonly last: KubeObject }
);

/** Where commits are written before they count. */
export interface Journal {
  append(version: number, storage: string, key: ObjectKey, object: KubeObject | null): void;
}

export const WINDOW = 10_000;

/**
 * All objects, and what became of them lately.
 *
 * 1. One version for everything; it grows by one with each commit and never goes back.
 * 2. Objects are frozen; nobody who holds one can change what is stored.
 * 3. The last 10 000 changes are kept, or fewer where they are forgotten by time: watches begin there, and earlier states are found by undoing them.
 * 4. Listeners hear of commits in their order, also when a listener commits.
 */
export class Store {
  #version: number;
  readonly #tables = new Map<string, Table>();
  readonly #owners = new OwnerIndex();
  readonly #log: Change[] = [];
  #forgotten = 0;
  readonly #listeners = new Set<(change: Change) => void>();
  readonly #pending: Change[] = [];
  #telling = false;
  readonly #journal: Journal | undefined;

  constructor(from: { readonly version: number; readonly journal?: Journal }) {
    this.#version = from.version;
    this.#forgotten = from.version;
    this.#journal = from.journal;
  }

  get version(): number {
    return this.#version;
  }

  /** Changes up to this version are forgotten. */
  get forgotten(): number {
    return this.#forgotten;
  }

  table(storage: string): Table {
    const found = this.#tables.get(storage);
    if (found) return found;
    const made = new Table();
    this.#tables.set(storage, made);
    return made;
  }

  get(storage: string, key: ObjectKey): KubeObject | undefined {
    return this.#tables.get(storage)?.get(key);
  }

  /** Tables that have objects. */
  storages(): readonly string[] {
    return [...this.#tables].flatMap(([storage, table]) => (table.size > 0 ? [storage] : []));
  }

  ownedBy(uid: string): readonly KubeObject[] {
    return this.#owners.ownedBy(uid);
  }

  byUid(uid: string): KubeObject | undefined {
    return this.#owners.byUid(uid);
  }

  /** Objects of a table, by key, as they were at a version that is not forgotten. */
  listAt(storage: string, namespace: string | undefined, version: number): readonly KubeObject[] {
    const now = this.table(storage).list(namespace);
    if (version >= this.#version) return now;
    const then = new Map(now.map((object) => [keyOf(object), object]));
    for (let at = this.#log.length - 1; at >= 0; at--) {
      const change = this.#log[at];
      if (change === undefined || change.version <= version) break;
      if (change.storage !== storage || !isWithin(change.key, namespace)) continue;
      if (change.before) then.set(change.key, change.before);
      else then.delete(change.key);
    }
    return [...then].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, object]) => object);
  }

  /** Changes of a table after a version, oldest first. */
  changesAfter(storage: string, version: number): readonly Change[] {
    return this.#log.filter((change) => change.version > version && change.storage === storage);
  }

  /** Stores an object and stamps its version. */
  put(storage: string, key: ObjectKey, object: KubeObject): KubeObject {
    const version = this.#version + 1;
    const after = freezeDeep(stamped(object, version));
    const before = this.get(storage, key);
    this.#journal?.append(version, storage, key, after);
    this.#commit({ version, storage, key, before, after });
    return after;
  }

  /** Takes an object away; gives it as watches will tell its going. */
  remove(storage: string, key: ObjectKey): KubeObject | undefined {
    const before = this.get(storage, key);
    if (before === undefined) return undefined;
    const version = this.#version + 1;
    const last = freezeDeep(stamped(before, version));
    this.#journal?.append(version, storage, key, null);
    this.#commit({ version, storage, key, before, after: undefined, last });
    return last;
  }

  /** Puts an object of the data folder back in place; nobody is told. */
  restore(storage: string, key: ObjectKey, object: KubeObject): void {
    const frozen = freezeDeep(object);
    this.table(storage).set(key, frozen);
    this.#owners.change(undefined, frozen);
  }

  /** All objects of all tables. */
  *everything(): Generator<{ readonly storage: string; readonly key: ObjectKey; readonly object: KubeObject }> {
    for (const [storage, table] of this.#tables) for (const object of table.list()) yield { storage, key: keyOf(object), object };
  }

  /** Lets nobody ask for what was before a version, the present one unless told. */
  forget(version = this.#version): void {
    if (version <= this.#forgotten) return;
    const first = this.#log.findIndex((change) => change.version > version);
    this.#log.splice(0, first === -1 ? this.#log.length : first);
    this.#forgotten = version;
  }

  subscribe(listener: (change: Change) => void): Release {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #commit(change: Change): void {
    this.#version = change.version;
    const table = this.table(change.storage);
    if (change.after) table.set(change.key, change.after);
    else table.delete(change.key);
    this.#owners.change(change.before, change.after);
    this.#log.push(change);
    if (this.#log.length >= WINDOW * 2) this.#forgotten = this.#log.splice(0, this.#log.length - WINDOW).at(-1)?.version ?? this.#forgotten;
    this.#notify(change);
  }

  #notify(change: Change): void {
    this.#pending.push(change);
    if (this.#telling) return; // a listener committed; the loop below comes to it
    this.#telling = true;
    try {
      for (let next = this.#pending.shift(); next !== undefined; next = this.#pending.shift())
        for (const listener of this.#listeners) listener(next);
    } finally {
      this.#telling = false;
    }
  }
}

function stamped(object: KubeObject, version: number): KubeObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(version) } };
}

/** Key of a stored object, which has its name. */
export function keyOf({ metadata: { namespace, name = '' } }: KubeObject): ObjectKey {
  return namespace ? `${namespace}/${name}` : name;
}

function isWithin(key: ObjectKey, namespace: string | undefined): boolean {
  return namespace === undefined || key.startsWith(`${namespace}/`);
}
