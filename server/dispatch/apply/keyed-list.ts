import type { Fields } from '@/lib/kube/fields';
import { isFields } from '@/lib/kube/fields';
import { deepEqual } from '@/lib/std/deep-equal';

/** Entries of a list by what tells them apart, in order. */
export type Keyed = ReadonlyMap<unknown, Fields>;

/** Entries by merge key, in order; undefined when a key occurs twice. Throws for an entry without the key. */
export function byKey(list: readonly unknown[], key: string, member: string): Keyed | undefined {
  return mapped(list, (entry) => keyOf(entry, key, member));
}

/** Entries by merge key and protocol, which tells ports apart that share a number; undefined when even these occur twice. */
export function byKeyAndProtocol(list: readonly unknown[], key: string, member: string): Keyed | undefined {
  return mapped(list, (entry) => {
    const protocol = isFields(entry) && typeof entry.protocol === 'string' ? entry.protocol : 'TCP';
    return `${JSON.stringify(keyOf(entry, key, member))}/${protocol}`;
  });
}

function keyOf(entry: unknown, key: string, member: string): unknown {
  const value = isFields(entry) ? entry[key] : undefined;
  if (value === undefined) throw new Error(`an entry of "${member}" does not contain declared merge key: ${key}`);
  return value;
}

function mapped(list: readonly unknown[], identify: (entry: unknown) => unknown): Keyed | undefined {
  const found = new Map<unknown, Fields>();
  for (const entry of list) {
    const identity = identify(entry);
    if (found.has(identity) || !isFields(entry)) return undefined;
    found.set(identity, entry);
  }
  return found;
}

interface KeyedLists {
  readonly original: Keyed;
  readonly current: Keyed;
  readonly modified: Keyed;
}

/**
 * Keys of live entries that took the place of one of ours: we applied ours and want it still, it is gone, and a stranger has its name, its
 * other members, or its place in a list that grew by nothing. A stranger beside ours, such as an injected container, is left alone.
 */
export function replacedKeys({ original, current, modified }: KeyedLists, key: string): readonly unknown[] {
  const missing = [...modified].filter(([value]) => original.has(value) && !current.has(value));
  if (missing.length === 0) return [];
  const strangers = new Map([...current].filter(([value]) => !original.has(value) && !modified.has(value)));
  const places = current.size <= modified.size ? { live: [...current.keys()], wanted: [...modified.keys()] } : undefined;
  const samePlace = (stranger: unknown, wanted: unknown) =>
    places !== undefined && places.live.indexOf(stranger) === places.wanted.indexOf(wanted);
  const replaced: unknown[] = [];
  for (const [value, wanted] of missing) {
    const taker = [...strangers].find(([stranger, live]) => isRenamed(live, wanted, key) || samePlace(stranger, value));
    if (taker === undefined) continue;
    strangers.delete(taker[0]);
    replaced.push(taker[0]);
  }
  return replaced;
}

/** True when an entry differs from the wanted one by nothing but its key, as far as the wanted one says anything. */
function isRenamed(live: Fields, wanted: Fields, key: string): boolean {
  if (key !== 'name' && wanted.name !== undefined) return live.name === wanted.name;
  const rest = Object.entries(wanted).filter(([member]) => member !== key);
  return rest.length > 0 && rest.every(([member, value]) => deepEqual(live[member], value));
}
