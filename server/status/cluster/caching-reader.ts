import type { KubeObject } from '@/lib/kube/object';
import { getApiStatus, KubeApiError } from '@/server/kube';
import type { GroupKind, ObjMetadata } from '../identifier';
import { toIdentifierKey } from '../identifier';
import type { ApiReader } from './api-reader';
import type { ClusterReader } from './cluster-reader';
import { withGeneratedKinds } from './generated-kinds';
import type { KindMapper, KindMapping } from './kind-mapper';
import { isNoKindMatch } from './kind-mapper';
import type { LabelSelector } from './label-selector';
import { ListedObjects } from './listed-objects';
import { isAbortLike, NotCachedError } from './read-errors';

const PAGE_LIMIT = 500;

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
  readonly #entries: ReadonlyMap<string, Entry>;
  #listings: ReadonlyMap<string, Listing> = new Map();

  constructor(api: ApiReader, mapper: KindMapper, identifiers: readonly ObjMetadata[]) {
    this.#api = api;
    this.#mapper = mapper;
    this.#entries = toEntries(identifiers);
  }

  async sync(signal: AbortSignal): Promise<void> {
    const listings = new Map<string, Listing>();
    for (const [key, entry] of this.#entries) {
      const mapping = await this.#map(entry, signal);
      listings.set(key, mapping.kind === 'failed' ? mapping : await this.#list(entry, mapping.mapping, signal));
    }
    this.#listings = listings;
  }

  async get(signal: AbortSignal, identifier: ObjMetadata): Promise<KubeObject> {
    const { mapping, objects } = await this.#read(identifier, signal);
    const found = objects.get(identifier.name);
    if (found !== undefined) return found;
    const message = `${mapping.plural} "${identifier.name}" not found`;
    throw new KubeApiError({ code: 404, reason: 'NotFound', message, details: { name: identifier.name, group: identifier.group, kind: mapping.plural } });
  }

  async listNamespaceScoped(signal: AbortSignal, of: GroupKind, namespace: string, selector: LabelSelector): Promise<readonly KubeObject[]> {
    const { objects } = await this.#read({ ...of, namespace }, signal);
    return objects.select(selector);
  }

  listClusterScoped(signal: AbortSignal, of: GroupKind, selector: LabelSelector): Promise<readonly KubeObject[]> {
    return this.listNamespaceScoped(signal, of, '', selector);
  }

  /** The mapping is asked again only where the list has none: a kind does not move while its objects are judged. */
  async #read(entry: Entry, signal: AbortSignal): Promise<Extract<Listing, { kind: 'objects' }>> {
    const listing = this.#listings.get(toEntryKey(entry));
    if (listing?.kind === 'objects') return listing;
    const mapping = await this.#mapper.map(entry, signal);
    if (listing === undefined) throw new NotCachedError(entry, entry.namespace, mapping);
    throw listing.error;
  }

  async #map(entry: Entry, signal: AbortSignal): Promise<{ readonly kind: 'mapped'; readonly mapping: KindMapping } | Extract<Listing, { kind: 'failed' }>> {
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
    const objects: KubeObject[] = [];
    let token: string | undefined;
    do {
      try {
        const page = await this.#api.listPage(of, { limit: PAGE_LIMIT, signal, ...(token === undefined ? {} : { continue: token }) });
        objects.push(...page.items);
        token = page.continue || undefined;
      } catch (error) {
        // The rest of a list that grew too old is gone; all of it at once cannot grow old.
        if (token === undefined || getApiStatus(error)?.reason !== 'Expired') throw error;
        return (await this.#api.listPage(of, { signal })).items;
      }
    } while (token !== undefined);
    return objects;
  }
}

function toEntryKey({ group, kind, namespace }: Entry): string {
  return toIdentifierKey({ namespace, name: '', group, kind });
}

function toEntries(identifiers: readonly ObjMetadata[]): ReadonlyMap<string, Entry> {
  const entries = new Map<string, Entry>();
  let last: ObjMetadata | undefined;
  for (const identifier of identifiers) {
    // Identifiers mostly come sorted by kind: what the one before asked for is there already.
    if (last !== undefined && last.kind === identifier.kind && last.namespace === identifier.namespace && last.group === identifier.group) continue;
    last = identifier;
    for (const of of withGeneratedKinds(identifier)) {
      const entry = { ...of, namespace: identifier.namespace };
      const key = toEntryKey(entry);
      if (!entries.has(key)) entries.set(key, entry);
    }
  }
  return entries;
}
