import { AppError } from '@/lib/contract/app-error';
import type { KubeObject, ObjectKey } from '@/lib/kube/object';
import { toObjectKey } from '@/lib/kube/object';
import { compareResourceVersions } from '@/lib/kube/resource-version';
import { deepEqual } from '@/lib/std/deep-equal';
import type { IndexFunction, PolledPart, StoreChange } from '../informer';

/** Most values file one key, and a set of one takes more memory than all else an index holds of it: so it stands by itself. */
type Filed = ObjectKey | Set<ObjectKey>;
type Index = { readonly valuesOf: IndexFunction; readonly keys: Map<string, Filed> };

/** Objects that are replaced in one piece: with everybody who hears of them, some five milliseconds. */
const PIECE = 150;

export type EmitChange = (change: StoreChange) => void;

/** Objects of one kind by key, with their indexes. Every change is announced right after it is made, one by one. */
export interface ObjectStore {
  readonly size: number;
  get(key: ObjectKey): KubeObject | undefined;
  all(): readonly KubeObject[];
  byIndex(name: string, value: string): readonly KubeObject[];
  addIndex(name: string, valuesOf: IndexFunction): void;
  /** Takes in an event of a watch; one of before what was taken in ahead of it changes nothing. */
  put(object: KubeObject): void;
  remove(object: KubeObject): void;
  /** Takes in what the watch has not come to yet. */
  putAhead(object: KubeObject): void;
  /**
   * Makes the contents equal to a complete list. Objects of equal uid and version count as equal unless versions cannot be
   * trusted, which is when the server's history was rewritten. It yields between pieces, where others may have their turn.
   */
  replace(objects: readonly KubeObject[], versions: 'trusted' | 'untrusted'): Iterable<void>;
  /** The same for one part: a namespace, an object, or everything. */
  replacePart(part: PolledPart, objects: readonly KubeObject[], versions?: 'trusted' | 'untrusted'): Iterable<void>;
}

/** An empty store. */
export function createObjectStore(emit: EmitChange): ObjectStore {
  const objects = new Map<ObjectKey, KubeObject>();
  const indexes = new Map<string, Index>();
  /** Versions of what was taken in ahead of the watch, until that comes to them. */
  const ahead = new Map<ObjectKey, string>();
  let snapshot: readonly KubeObject[] | undefined;

  function set(key: ObjectKey, before: KubeObject | undefined, after: KubeObject | undefined): void {
    if (after === undefined) objects.delete(key);
    else objects.set(key, after);
    snapshot = undefined;
    for (const index of indexes.values()) refile(index, key, before, after);
    emit({ key, before, after });
  }

  function put(object: KubeObject, versions: 'trusted' | 'untrusted'): void {
    const key = toObjectKey(object.metadata);
    const before = objects.get(key);
    if (before === undefined) {
      set(key, undefined, object);
    } else if (before.metadata.uid !== object.metadata.uid) {
      // Deleted and made anew while nobody watched: two changes, as a watch would have told.
      set(key, before, undefined);
      set(key, undefined, object);
    } else {
      const same = versions === 'trusted' ? before.metadata.resourceVersion === object.metadata.resourceVersion : deepEqual(before, object);
      if (!same) set(key, before, object);
    }
  }

  /** True for an event that happened before what is held, which was read of the server itself. */
  function isPassed({ metadata }: KubeObject): boolean {
    const key = toObjectKey(metadata);
    const version = ahead.get(key);
    if (version === undefined) return false;
    if (compareResourceVersions(metadata.resourceVersion ?? '', version) < 0) return true;
    ahead.delete(key);
    return false;
  }

  function* replaceAmong(held: Iterable<ObjectKey>, list: readonly KubeObject[], versions: 'trusted' | 'untrusted'): Iterable<void> {
    ahead.clear();
    const listed = new Set(list.map((object) => toObjectKey(object.metadata)));
    let done = 0;
    for (const key of [...held]) {
      const before = objects.get(key);
      if (listed.has(key) || before === undefined) continue;
      set(key, before, undefined);
      if (++done % PIECE === 0) yield;
    }
    for (const object of list) {
      put(object, versions);
      if (++done % PIECE === 0) yield;
    }
  }

  return {
    get size() {
      return objects.size;
    },
    get: (key) => objects.get(key),
    all() {
      snapshot ??= [...objects.values()];
      return snapshot;
    },
    byIndex(name, value) {
      const index = indexes.get(name);
      if (index === undefined) throw new AppError('internal', `index "${name}" was not declared, only ${[...indexes.keys()].join(', ')}`);
      const found: KubeObject[] = [];
      for (const key of keysOf(index.keys.get(value))) {
        const object = objects.get(key);
        if (object !== undefined) found.push(object);
      }
      return found;
    },
    addIndex(name, valuesOf) {
      if (indexes.has(name)) return;
      const index: Index = { valuesOf, keys: new Map() };
      for (const [key, object] of objects) refile(index, key, undefined, object);
      indexes.set(name, index);
    },
    put(object) {
      if (!isPassed(object)) put(object, 'trusted');
    },
    putAhead(object) {
      ahead.set(toObjectKey(object.metadata), object.metadata.resourceVersion ?? '');
      put(object, 'trusted');
    },
    remove(object) {
      if (isPassed(object)) return;
      const key = toObjectKey(object.metadata);
      const before = objects.get(key);
      if (before !== undefined) set(key, before, undefined);
    },
    replace: (list, versions) => replaceAmong(objects.keys(), list, versions),
    replacePart: ({ namespace, key }, list, versions = 'trusted') => {
      const held = [...objects.values()].filter(({ metadata }) => namespace === undefined || metadata.namespace === namespace);
      return replaceAmong(key === undefined ? held.map(({ metadata }) => toObjectKey(metadata)) : [key], list, versions);
    },
  };
}

function refile({ valuesOf, keys }: Index, key: ObjectKey, before: KubeObject | undefined, after: KubeObject | undefined): void {
  const former = before === undefined ? [] : valuesOf(before);
  const present = after === undefined ? [] : valuesOf(after);
  for (const value of former) if (!present.includes(value)) drop(keys, value, key);
  for (const value of present) file(keys, value, key);
}

function keysOf(filed: Filed | undefined): Iterable<ObjectKey> {
  if (filed === undefined) return [];
  return typeof filed === 'string' ? [filed] : filed;
}

function file(keys: Index['keys'], value: string, key: ObjectKey): void {
  const filed = keys.get(value);
  if (filed === undefined) keys.set(value, key);
  else if (typeof filed !== 'string') filed.add(key);
  else if (filed !== key) keys.set(value, new Set([filed, key]));
}

function drop(keys: Index['keys'], value: string, key: ObjectKey): void {
  const filed = keys.get(value);
  if (filed === key) keys.delete(value);
  if (typeof filed !== 'object') return;
  filed.delete(key);
  if (filed.size === 0) keys.delete(value);
}
