import type { ObjectKey } from '@/lib/kube/object';
import { parseObjectKey } from '@/lib/kube/object';
import type { Instant } from '@/lib/std/instant';
import type { InformerHealth, Knowledge, PollAnswer, PolledPart } from '../informer';

type Told = { readonly at: Instant; readonly by: 'list' | 'get' } | { readonly refused: string };

/** What polls have told of the parts of a kind. */
export class PolledParts {
  readonly #parts = new Map<string, Told>();

  /** Notes what was told of a part; true when it can be read now and could not before, or the other way round. */
  note(part: PolledPart, answer: PollAnswer, at: Instant): boolean {
    const before = this.#parts.get(nameOf(part));
    const told = 'refused' in answer ? { refused: answer.refused } : { at, by: part.key === undefined ? ('list' as const) : ('get' as const) };
    this.#parts.set(nameOf(part), told);
    return before === undefined || ('refused' in before ? before.refused : '') !== ('refused' in told ? told.refused : '');
  }

  clear(): void {
    this.#parts.clear();
  }

  /** What was told of the smallest part that holds the object. */
  of(key: ObjectKey): Told | undefined {
    const { namespace } = parseObjectKey(key);
    const inNamespace = namespace === undefined ? undefined : this.#parts.get(nameOf({ namespace }));
    return this.#parts.get(nameOf({ key })) ?? inNamespace ?? this.#parts.get(nameOf({}));
  }
}

function nameOf({ namespace, key }: PolledPart): string {
  return key === undefined ? `namespace ${namespace ?? ''}` : `object ${key}`;
}

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
