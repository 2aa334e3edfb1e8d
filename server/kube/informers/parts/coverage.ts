import type { Coverage, NamespaceSource } from '../../informer';
import type { PartWatches } from './part-watches';
import type { PolledParts } from './polled-parts';

/** Where somebody needs a kind that may not be read as a whole. */
export class NamespaceDemand {
  readonly #places = new Set<NamespaceSource>();

  add(places: NamespaceSource): () => void {
    this.#places.add(places);
    return () => void this.#places.delete(places);
  }

  /** True where somebody needs it by namespace, even in none as yet. */
  get isAsked(): boolean {
    return this.#places.size > 0;
  }

  has(namespace: string): boolean {
    return [...this.#places].some((places) => places.has(namespace));
  }

  /** Undefined where nobody needs it by namespace. */
  namespaces(): readonly string[] | undefined {
    return this.isAsked ? [...new Set([...this.#places].flatMap((places) => places.values()))] : undefined;
  }
}

/** Whether a namespace of a kind that was never read as a whole is in the copy: by its watch, or else by polls. */
export function coverageOf(
  namespace: string,
  { parts, polled, needs }: { readonly parts: PartWatches; readonly polled: PolledParts; readonly needs: NamespaceDemand },
): Coverage {
  if (parts.holds(namespace)) return { kind: 'held' };
  if (parts.isPending(namespace)) return { kind: 'later' };
  const told = polled.ofGroup(namespace);
  if (told?.at !== undefined && told.refused === undefined) return { kind: 'held' };
  const reason = parts.refusalReason(namespace);
  if (reason !== undefined) return { kind: 'refused', reason };
  return { kind: needs.has(namespace) ? 'later' : 'unasked' };
}
