import type { KubeObject } from '@/lib/kube/object';
import { KubeApiError } from '@/server/kube';
import type { Awaitable } from '../awaitable';
import type { GroupKind, ObjMetadata } from '../identifier';
import { CollectionMap } from '../identifier-map';
import type { ApiReader } from './api-reader';
import type { ClusterReader } from './cluster-reader';
import { withGeneratedKinds } from './generated-kinds';
import type { KindMapper, KindMapping } from './kind-mapper';
import { isNoKindMatch } from './kind-mapper';
import type { LabelSelector } from './label-selector';
import { listPages } from './list-pages';
import { ListedObjects } from './listed-objects';
import { isAbortLike, NotCachedError } from './read-errors';

/** One kind in one namespace, listed as a whole. */
interface Entry extends GroupKind {
  readonly namespace: string;
}

type Listing =
  | { readonly kind: 'objects'; readonly mapping: KindMapping; readonly objects: ListedObjects }
  | { readonly kind: 'failed'; readonly error: unknown };

/**
 * Lists each kind of a namespace once per poll and answers from what it holds.
 *
 * 1. What is listed follows from the identifiers and their generated kinds alone, in that order.
 * 2. A failed list is remembered for its entry only; an abort or an unreadable discovery leaves the last cache as it is.
 * 3. Nothing survives the next `sync`: each entry is tried again.
 */
export class CachingClusterReader implements ClusterReader {
  readonly #api: ApiReader;
  readonly #mapper: KindMapper;
  readonly #entries: readonly Entry[];
  #listings = new CollectionMap<Listing>();

  constructor(api: ApiReader, mapper: KindMapper, identifiers: readonly ObjMetadata[]) {
    this.#api = api;
    this.#mapper = mapper;
    this.#entries = toEntries(identifiers);
  }

  async sync(signal: AbortSignal): Promise<void> {
    const listings = new CollectionMap<Listing>();
    for (const entry of this.#entries) {
      const mapping = await this.#map(entry, signal);
      listings.set(entry, entry.namespace, mapping.kind === 'failed' ? mapping : await this.#list(entry, mapping.mapping, signal));
    }
    this.#listings = listings;
  }

  get(signal: AbortSignal, identifier: ObjMetadata): Awaitable<KubeObject> {
    const listing = this.#listings.get(identifier, identifier.namespace);
    if (listing?.kind !== 'objects') return this.#explain(identifier, identifier.namespace, signal);
    return listing.objects.get(identifier.name) ?? Promise.reject(notFound(identifier, listing.mapping));
  }

  listNamespaceScoped(signal: AbortSignal, of: GroupKind, namespace: string, selector: LabelSelector): Awaitable<readonly KubeObject[]> {
    const listing = this.#listings.get(of, namespace);
    return listing?.kind === 'objects' ? listing.objects.select(selector) : this.#explain(of, namespace, signal);
  }

  listClusterScoped(signal: AbortSignal, of: GroupKind, selector: LabelSelector): Awaitable<readonly KubeObject[]> {
    return this.listNamespaceScoped(signal, of, '', selector);
  }

  /** Throws why there is no list. The mapping is asked again only here: a kind does not move while its objects are judged. */
  async #explain(of: GroupKind, namespace: string, signal: AbortSignal): Promise<never> {
    const mapping = await this.#mapper.map(of, signal);
    const listing = this.#listings.get(of, namespace);
    throw listing?.kind === 'failed' ? listing.error : new NotCachedError(of, namespace, mapping);
  }

  async #map(
    entry: Entry,
    signal: AbortSignal,
  ): Promise<{ readonly kind: 'mapped'; readonly mapping: KindMapping } | Extract<Listing, { kind: 'failed' }>> {
    try {
      return { kind: 'mapped', mapping: await this.#mapper.map(entry, signal) };
    } catch (error) {
      if (isNoKindMatch(error)) return { kind: 'failed', error };
      throw error;
    }
  }

  async #list(entry: Entry, mapping: KindMapping, signal: AbortSignal): Promise<Listing> {
    try {
      return { kind: 'objects', mapping, objects: new ListedObjects(await this.#listPages(entry, mapping, signal)) };
    } catch (error) {
      if (isAbortLike(error, signal)) throw error;
      return { kind: 'failed', error };
    }
  }

  async #listPages(entry: Entry, mapping: KindMapping, signal: AbortSignal): Promise<readonly KubeObject[]> {
    const of = {
      apiVersion: entry.group === '' ? mapping.version : `${entry.group}/${mapping.version}`,
      kind: entry.kind,
      ...(mapping.namespaced && entry.namespace !== '' ? { namespace: entry.namespace } : {}),
    };
    return (await listPages(this.#api, of, { signal })).objects;
  }
}

function notFound({ name, group }: ObjMetadata, { plural }: KindMapping): KubeApiError {
  return new KubeApiError({
    code: 404,
    reason: 'NotFound',
    message: `${plural} "${name}" not found`,
    details: { name, group, kind: plural },
  });
}

function toEntries(identifiers: readonly ObjMetadata[]): readonly Entry[] {
  const entries: Entry[] = [];
  const seen = new CollectionMap<true>();
  for (const identifier of identifiers) {
    const { namespace } = identifier;
    if (seen.get(identifier, namespace)) continue; // with everything that it needs
    for (const of of withGeneratedKinds(identifier)) {
      if (seen.get(of, namespace)) continue;
      seen.set(of, namespace, true);
      entries.push({ ...of, namespace });
    }
  }
  return entries;
}
