import type { KubeObject, ObjectAddress, TypeRef } from '@/lib/kube/object';
import { groupOf, toObjectId } from '@/lib/kube/object';
import { differsInStatusOnly } from '@/lib/kube/status-change';
import { cachedState } from '@/server/dispatch';
import type { InformerScope, Informers, NamespaceSource, StoreUse } from '@/server/kube';
import type { Clock, Release } from '@/server/platform';

/** What Helm stores is no object of a release, and has payloads of a megabyte. */
const NOT_STORED_BY_HELM = 'owner!=helm';

/** What a copy says of an object: all of it, or of a Secret metadata only. */
export type CachedObject =
  | { readonly kind: 'absent' | 'unknown'; readonly object?: undefined }
  | { readonly kind: 'whole' | 'metadata'; readonly object: KubeObject };

interface LiveCopiesDeps {
  readonly informers: Pick<Informers, 'open'>;
  /** Where kinds are read that may not be as a whole. */
  readonly places: NamespaceSource;
  readonly clock: Pick<Clock, 'now'>;
}

interface OpenKind {
  readonly use: StoreUse;
  readonly ends: readonly Release[];
  /** How many followed objects are of it. */
  objects: number;
}

/** Watched copies of the objects that releases consist of, one per kind while a release has one of it. */
export class LiveCopies implements Disposable {
  readonly #deps: LiveCopiesDeps;
  readonly #kinds = new Map<string, OpenKind>();
  readonly #byRelease = new Map<string, ReadonlyMap<string, ObjectAddress>>();
  readonly #releases = new Map<string, Set<string>>();
  readonly #listeners = new Set<(release: string) => void>();

  constructor(deps: LiveCopiesDeps) {
    this.#deps = deps;
  }

  /** Follows these objects of a release, and none of it that are not among them. */
  follow(release: string, objects: readonly ObjectAddress[]): void {
    const before = this.#byRelease.get(release) ?? new Map<string, ObjectAddress>();
    const now = new Map(objects.map((at) => [toObjectId(at), at]));
    for (const [id, at] of now) if (!before.has(id)) this.#add(release, id, at);
    for (const [id, at] of before) if (!now.has(id)) this.#remove(release, id, at);
    if (now.size === 0) this.#byRelease.delete(release);
    else this.#byRelease.set(release, now);
  }

  /** What is known of an object without asking. */
  of(at: ObjectAddress): CachedObject {
    const store = this.#kinds.get(kindKey(at))?.use.store;
    if (store === undefined) return { kind: 'unknown' };
    const state = cachedState(store, at, this.#deps.clock.now());
    if (state.kind !== 'present') return { kind: state.kind };
    if (store.scope.metadataOnly) return { kind: 'metadata', object: state.object };
    return state.object.apiVersion === at.apiVersion ? { kind: 'whole', object: state.object } : { kind: 'unknown' };
  }

  /** Hears of which release an object differs in more than its status. */
  onChange(listener: (release: string) => void): Release {
    const own = (release: string) => listener(release); // the same function twice is two subscriptions
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  [Symbol.dispose](): void {
    for (const release of [...this.#byRelease.keys()]) this.follow(release, []);
    this.#listeners.clear();
  }

  #add(release: string, id: string, at: ObjectAddress): void {
    this.#releases.set(id, (this.#releases.get(id) ?? new Set()).add(release));
    const kind = this.#kinds.get(kindKey(at)) ?? this.#open(at);
    kind.objects++;
    this.#kinds.set(kindKey(at), kind);
  }

  #remove(release: string, id: string, at: ObjectAddress): void {
    const releases = this.#releases.get(id);
    releases?.delete(release);
    if (releases?.size === 0) this.#releases.delete(id);
    const kind = this.#kinds.get(kindKey(at));
    if (kind === undefined || --kind.objects > 0) return;
    this.#kinds.delete(kindKey(at));
    for (const end of kind.ends) end();
    kind.use.release();
  }

  #open(at: ObjectAddress): OpenKind {
    const { informers, places } = this.#deps;
    const use = informers.open(scopeOf(at));
    const { apiVersion, kind } = at;
    const changes = use.store.subscribe(({ before, after }) => {
      const { metadata } = after ?? before ?? {};
      if (metadata === undefined || (!use.store.scope.metadataOnly && differsInStatusOnly(before, after))) return;
      const { name = '', namespace } = metadata;
      const id = toObjectId({ apiVersion, kind, name, ...(namespace === undefined ? {} : { namespace }) });
      for (const release of this.#releases.get(id) ?? []) for (const listener of this.#listeners) listener(release);
    });
    return { use, ends: [changes, ...(at.namespace === undefined ? [] : [use.store.needIn(places)])], objects: 0 };
  }
}

/** Data of Secrets is nobody's to keep; that one moved is told by its metadata. */
function scopeOf({ apiVersion, kind }: TypeRef): InformerScope {
  const isSecret = kind === 'Secret' && groupOf(apiVersion) === '';
  return { apiVersion, kind, ...(isSecret ? ({ labelSelector: NOT_STORED_BY_HELM, metadataOnly: true } as const) : {}) };
}

const kindKey = ({ apiVersion, kind }: TypeRef) => `${apiVersion} ${kind}`;
