import type { KubeObject, ObjectKey, TypeRef } from '@/lib/kube/object';
import type { Instant } from '@/lib/std/instant';
import type { Release } from '@/server/platform';

/**
 * What a store is doing. Retrying says why, for people, and whether it is because the cluster serves no such kind at any version. Refused: the server lets
 * nobody list or watch the kind as a whole; what is known of it is polled, and the store looks whether that is over.
 */
export type InformerState =
  | { readonly kind: 'listing' }
  | {
      readonly kind: 'refused';
      readonly verb: 'list' | 'watch';
      readonly reason: string;
      readonly since: Instant;
      /** No right is missing: the server serves no watch of the kind, or holds none. */
      readonly isUnwatchable?: true;
    }
  | { readonly kind: 'watching' }
  | { readonly kind: 'retrying'; readonly reason: string; readonly since: Instant; readonly isMissing?: true }
  | { readonly kind: 'stopped' };

/** How fresh a store is. Times are undefined until the first contact. */
export interface InformerHealth {
  readonly state: InformerState;
  readonly synced: boolean;
  readonly lastEventAt: Instant | undefined;
  readonly lastContactAt: Instant | undefined;
  readonly resourceVersion: string | undefined;
  readonly objects: number;
  /** Every how many milliseconds a refused kind is polled; undefined before the first poll. */
  readonly polledEveryMs?: number | undefined;
  /** Of the parts that are polled, when the one was told that is behind most; undefined where none was. */
  readonly oldestPollAt?: Instant | undefined;
  /** Of a kind that may not be read as a whole, the namespaces in which it is watched all the same. */
  readonly watchedIn?: readonly string[] | undefined;
}

/** How what a store says of one object is known, its absence included. */
export type Knowledge =
  | { readonly kind: 'watched' }
  /** Read by a list of its kind, or by itself where that may not be listed. */
  | { readonly kind: 'polled'; readonly at: Instant; readonly by: 'list' | 'get'; readonly reason: string }
  /** The copy was good until the watch was lost. */
  | { readonly kind: 'lost'; readonly reason: string }
  /** The cluster serves its kind at no version, so it is gone as far as anybody can tell, whatever the copy last held. */
  | { readonly kind: 'unserved'; readonly reason: string }
  | { readonly kind: 'unknown'; readonly reason: string }
  /** It may not be read, whatever the copy last held, and that was good until a moment; undefined where it never could be read. */
  | { readonly kind: 'forbidden'; readonly reason: string; readonly since: Instant | undefined };

/** Of a kind that is refused as a whole, what one poll asks for: everything, a namespace, or an object. */
export interface PolledPart {
  readonly namespace?: string;
  readonly key?: ObjectKey;
}

/** What one poll was told: what there is, why that may not be read, or why nobody knows this time. */
export type PollAnswer = { readonly objects: readonly KubeObject[] } | { readonly refused: string } | { readonly failed: string };

/** Namespaces in which somebody needs a kind, as they are now. */
export interface NamespaceSource {
  values(): readonly string[];
  has(namespace: string): boolean;
  /** Hears when there are others. */
  subscribe(onChange: () => void): Release;
}

/**
 * Whether objects of a namespace are in a copy. `later`: somebody needs that namespace, and its first list is still under way. `refused`: they may not be
 * read there. `unasked`: the kind may not be read as a whole, and nobody needs this namespace.
 */
export type Coverage =
  | { readonly kind: 'held' }
  | { readonly kind: 'later' }
  | { readonly kind: 'unasked' }
  | { readonly kind: 'refused'; readonly reason: string };

/** A change as handlers hear of it: keys, never objects. Before and after are the stored copies, for predicates only. */
export interface StoreChange {
  readonly key: ObjectKey;
  readonly before: KubeObject | undefined;
  readonly after: KubeObject | undefined;
}

/** Values under which an index files an object. */
export type IndexFunction = (object: KubeObject) => readonly string[];

export interface InformerScope extends TypeRef {
  /** One namespace only; all when absent. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  /** Holds metadata and nothing else: for kinds whose payloads are large, or nobody's to keep. Where it may not be watched it is not polled. */
  readonly metadataOnly?: true;
}

/** A shared, watched copy of one kind, at another version where that of its scope is not served. Objects are frozen and lack managedFields. */
export interface Store {
  readonly scope: InformerScope;
  get(key: ObjectKey): KubeObject | undefined;
  list(namespace?: string): readonly KubeObject[];
  /** Objects filed under a value; throws for an index that was not declared. */
  byIndex(index: string, value: string): readonly KubeObject[];
  /** Declares an index; declaring the same name again shares it. */
  addIndex(name: string, index: IndexFunction): void;
  /** Hears every change after this call; with `replay` first one call per object held. */
  subscribe(handler: (change: StoreChange) => void, options?: { readonly replay?: boolean }): Release;
  /** Hears when the state or the freshness class changes (listing, watching, retrying, stopped). */
  onHealth(handler: (health: InformerHealth) => void): Release;
  health(): InformerHealth;
  /** How what is said of an object, or of the absence of one, is known. */
  knowledge(key: ObjectKey): Knowledge;
  /** Takes in what somebody else read of a kind that is refused, and when that is done again; ignored once the store watches. */
  acceptPoll(part: PolledPart, answer: PollAnswer, everyMs: number): Promise<void>;
  /** Of a kind that may not be listed as a whole, watches these namespaces where that is let through, and answers those of which that is so now. */
  watchParts(namespaces: readonly string[]): readonly string[];
  /** Where the kind may not be listed as a whole, reads it in these namespaces for as long as they are needed. */
  needIn(places: NamespaceSource): Release;
  /** Namespaces in which somebody needs it; undefined where nobody needs it by namespace. */
  needed(): readonly string[] | undefined;
  /** Whether the objects of a namespace are here; of the whole cluster where none is named. */
  covers(namespace: string | undefined): Coverage;
  /** Forgets what polls told of namespaces that are polled no more. */
  keepPolled(namespaces: readonly string[]): void;
  /** Takes in what the server answered somebody of one object, where the watch has not come to it yet. */
  takeIn(object: KubeObject): void;
  /** Resolves after the first complete list. */
  synced(signal?: AbortSignal): Promise<void>;
}

/** A use of a store; releasing the last one lets the store close after a while. */
export interface StoreUse extends AsyncDisposable {
  readonly store: Store;
  release(): void;
}

/** Opens shared stores, one per kind and scope. Two indexes exist on every store: `owner` (owner uids) and `namespace`. */
export interface Informers extends AsyncDisposable {
  open(scope: InformerScope): StoreUse;
  /**
   * Reads a kind once more, at any version, and watches it by another watch: one that was opened before its definition changed goes on telling
   * objects as the older one keeps them. Resolves once that is read, as far as it may be.
   */
  relist(type: TypeRef): Promise<void>;
  /** Every store that is open now. */
  all(): readonly Store[];
}

/** Name of the index by owner uid that every store has. */
export const OWNER_INDEX = 'owner';
