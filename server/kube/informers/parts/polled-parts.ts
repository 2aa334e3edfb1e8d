import type { ObjectKey } from '@/lib/kube/object';
import { parseObjectKey } from '@/lib/kube/object';
import type { Instant } from '@/lib/std/instant';
import { toInstant } from '@/lib/std/instant';
import type { InformerHealth, Knowledge, PollAnswer, PolledPart } from '../../informer';

/** What polls of one part have come to. */
export interface PollState {
  /** When it was read last; undefined where it never was. */
  readonly at: Instant | undefined;
  readonly by: 'list' | 'get';
  /** Why it may not be read now. */
  readonly refused?: string;
  /** Why the last poll of it told nothing. */
  readonly failed?: string;
}

/** What polls have told of the parts of a kind. */
export class PolledParts {
  /** By namespace; the empty one stands for all. */
  readonly #groups = new Map<string, PollState>();
  /** Of objects that were asked for one by one, where their group may not be listed. */
  readonly #objects = new Map<ObjectKey, PollState>();

  /** Notes what was told of a part; true when it can be read now and could not before, or the other way round. */
  note({ namespace = '', key }: PolledPart, answer: PollAnswer, at: Instant): boolean {
    const by = key === undefined ? 'list' : 'get';
    if (key !== undefined) return put(this.#objects, key, nextState(this.#objects.get(key), answer, { at, by }));
    // A group that was listed tells of each of its objects, later than they were asked for.
    const forgot = 'objects' in answer && this.#forgetObjectsOf(namespace);
    return put(this.#groups, namespace, nextState(this.#groups.get(namespace), answer, { at, by })) || forgot;
  }

  /** Forgets what polls told of a namespace: it is watched from now on. */
  forget(namespace: string): void {
    this.#groups.delete(namespace);
    this.#forgetObjectsOf(namespace);
  }

  clear(): void {
    this.#groups.clear();
    this.#objects.clear();
  }

  /** Forgets the groups that are polled no more: nobody will tell of them again. */
  keep(namespaces: readonly string[]): void {
    for (const namespace of this.#groups.keys()) if (!namespaces.includes(namespace)) this.#groups.delete(namespace);
  }

  /** What was told of the smallest part that holds the object. */
  of(key: ObjectKey): PollState | undefined {
    const { namespace = '' } = parseObjectKey(key);
    return this.#objects.get(key) ?? this.#groups.get(namespace) ?? this.#groups.get('');
  }

  /** What was told of a namespace as a whole. */
  ofGroup(namespace: string): PollState | undefined {
    return this.#groups.get(namespace);
  }

  /** When the group was read that was not for longest; those that may not be read at all do not count. */
  oldest(): Instant | undefined {
    const times = [...this.#groups.values()].flatMap(({ at, refused }) => (at === undefined || refused !== undefined ? [] : [at]));
    return times.length === 0 ? undefined : toInstant(Math.min(...times));
  }

  #forgetObjectsOf(namespace: string): boolean {
    const before = this.#objects.size;
    for (const key of this.#objects.keys()) if (namespace === '' || parseObjectKey(key).namespace === namespace) this.#objects.delete(key);
    return this.#objects.size < before;
  }
}

function nextState(
  before: PollState | undefined,
  answer: PollAnswer,
  now: { readonly at: Instant; readonly by: PollState['by'] },
): PollState {
  if ('objects' in answer) return now;
  if ('refused' in answer) return { at: before?.at, by: now.by, refused: answer.refused };
  return { ...(before ?? { at: undefined, by: now.by }), failed: answer.failed };
}

/** Keeps what was told; true when that is news. */
function put<Key>(parts: Map<Key, PollState>, key: Key, told: PollState): boolean {
  const before = parts.get(key);
  parts.set(key, told);
  return before === undefined || before.refused !== told.refused;
}

/** How what a store says of an object is known, by what the store is doing. */
export function knowledgeOf(kind: string, { state, synced, lastContactAt }: InformerHealth, polled?: PollState): Knowledge {
  switch (state.kind) {
    case 'watching':
      return synced ? { kind: 'watched' } : { kind: 'unknown', reason: `${kind} objects are still being listed` };
    case 'listing':
      return { kind: 'unknown', reason: `${kind} objects are still being listed` };
    case 'stopped':
      return { kind: 'unknown', reason: `${kind} objects are no longer read` };
    case 'retrying':
      if (state.isMissing) return { kind: 'unserved', reason: state.reason };
      return { kind: synced ? 'lost' : 'unknown', reason: state.reason };
    case 'refused': {
      // Listed once, before the watch was refused; what is polled of other parts since then says nothing of this one.
      const listedAt = synced && lastContactAt !== undefined ? toInstant(Math.min(lastContactAt, state.since)) : undefined;
      const at = polled?.at ?? listedAt;
      if (polled?.refused !== undefined) return { kind: 'forbidden', reason: polled.refused, since: at };
      const reason = polled?.failed ?? state.reason;
      return at === undefined ? { kind: 'unknown', reason } : { kind: 'polled', at, by: polled?.by ?? 'list', reason };
    }
  }
}
