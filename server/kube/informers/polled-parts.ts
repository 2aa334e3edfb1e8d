import type { ObjectKey } from '@/lib/kube/object';
import { parseObjectKey } from '@/lib/kube/object';
import type { Instant } from '@/lib/std/instant';
import type { InformerHealth, Knowledge, PollAnswer, PolledPart } from '../informer';

type Told = { readonly at: Instant; readonly by: 'list' | 'get' } | { readonly refused: string };

/** What polls have told of the parts of a kind. */
export class PolledParts {
  /** By namespace; the empty one stands for all. */
  readonly #groups = new Map<string, Told>();
  /** Of objects that were asked for one by one, where their group may not be listed. */
  readonly #objects = new Map<ObjectKey, Told>();

  /** Notes what was told of a part; true when it can be read now and could not before, or the other way round. */
  note({ namespace = '', key }: PolledPart, answer: PollAnswer, at: Instant): boolean {
    const told = 'refused' in answer ? { refused: answer.refused } : { at, by: key === undefined ? ('list' as const) : ('get' as const) };
    if (key !== undefined) return put(this.#objects, key, told);
    // A group that was listed tells of each of its objects, later than they were asked for.
    const forgot = 'at' in told && this.#forgetObjectsOf(namespace);
    return put(this.#groups, namespace, told) || forgot;
  }

  clear(): void {
    this.#groups.clear();
    this.#objects.clear();
  }

  /** What was told of the smallest part that holds the object. */
  of(key: ObjectKey): Told | undefined {
    const { namespace = '' } = parseObjectKey(key);
    return this.#objects.get(key) ?? this.#groups.get(namespace) ?? this.#groups.get('');
  }

  #forgetObjectsOf(namespace: string): boolean {
    const before = this.#objects.size;
    for (const key of this.#objects.keys()) if (namespace === '' || parseObjectKey(key).namespace === namespace) this.#objects.delete(key);
    return this.#objects.size < before;
  }
}

/** Keeps what was told; true when that is news. */
function put<Key>(parts: Map<Key, Told>, key: Key, told: Told): boolean {
  const before = parts.get(key);
  parts.set(key, told);
  return before === undefined || refusalOf(before) !== refusalOf(told);
}

const refusalOf = (told: Told) => ('refused' in told ? told.refused : undefined);

/** How what a store says of an object is known, by what the store is doing. */
export function knowledgeOf(kind: string, { state, synced, lastContactAt }: InformerHealth, polled?: Told): Knowledge {
  switch (state.kind) {
    case 'watching':
      return synced ? { kind: 'watched' } : { kind: 'unknown', reason: `${kind} objects are still being listed` };
    case 'listing':
      return { kind: 'unknown', reason: `${kind} objects are still being listed` };
    case 'stopped':
      return { kind: 'unknown', reason: `nobody reads ${kind} objects any more` };
    case 'retrying':
      return { kind: synced ? 'lost' : 'unknown', reason: state.reason };
    case 'refused':
      if (polled !== undefined) return 'refused' in polled ? { kind: 'forbidden', reason: polled.refused } : { kind: 'polled', ...polled };
      // Listed once, before the watch was refused.
      return synced && lastContactAt !== undefined ? { kind: 'polled', at: lastContactAt, by: 'list' } : { kind: 'unknown', reason: state.reason };
  }
}
