import type { KubeObject, ObjectAddress, TypeRef } from '@/lib/kube/object';

/** A person or program on whose behalf a request is made. With a token the request carries it; otherwise it impersonates. */
export interface Person {
  readonly user: string;
  readonly groups: readonly string[];
  readonly uid?: string;
  /** Keys in lower case: they travel as header names. */
  readonly extra?: Readonly<Record<string, readonly string[]>>;
  readonly token?: string;
}

/** A kind within one namespace, or in all of them (and cluster-scoped kinds) when namespace is absent. */
export interface CollectionAddress extends TypeRef {
  readonly namespace?: string;
}

export interface RequestOptions {
  readonly signal?: AbortSignal;
  /** Called at the moment a write, or a raw request, leaves, after whatever queue it waited in; throwing keeps it from leaving. */
  readonly beforeSend?: () => void;
  /** The part of this program that asks, for the server's records; the console when absent. */
  readonly agent?: string;
}

export interface GetOptions extends RequestOptions {
  readonly subresource?: 'status' | 'scale';
  readonly resourceVersion?: string;
}

export interface Selectors {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

export interface ListOptions extends RequestOptions, Selectors {
  /** Objects per page; 500 when absent. */
  readonly limit?: number;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan';
  /** Resume an earlier list. */
  readonly continue?: string;
  /** The caller has no use for managedFields: they may be left out where no dispatch wrote, which spares half of the work on large lists. */
  readonly omitManagedFields?: boolean;
  /** The caller has no use for anything but metadata: the rest may be left out. */
  readonly metadataOnly?: boolean;
}

/** One page; the version is that of the whole list and the same on every page. */
export interface ListPage {
  readonly items: readonly KubeObject[];
  readonly resourceVersion: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
}

export interface WatchOptions extends RequestOptions, Selectors {
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: 'NotOlderThan';
  readonly sendInitialEvents?: boolean;
  readonly allowWatchBookmarks?: boolean;
  readonly timeoutSeconds?: number;
  /** The caller has no use for anything but metadata: the rest may be left out. */
  readonly metadataOnly?: boolean;
  /** Called once, as soon as the server has accepted the watch, which on a quiet kind is long before the first event. */
  readonly onOpen?: () => void;
}

/** One event of a watch. An ERROR of the server is thrown as KubeApiError instead. */
export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK';
  readonly object: KubeObject;
}

export interface WriteOptions extends RequestOptions {
  readonly fieldManager?: string;
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict';
  readonly dryRun?: boolean;
  readonly subresource?: string;
  /** The kind whose subresource is written, when the body is of another kind: Scale, Eviction, Binding, TokenRequest. */
  readonly parent?: TypeRef;
  /** Called with the text of each Warning header. */
  readonly onWarning?: (text: string) => void;
}

export type PatchType = 'json' | 'merge' | 'strategic' | 'apply';

export interface PatchBody {
  readonly type: PatchType;
  /** A list of operations for `json`, an object otherwise. */
  readonly body: unknown;
}

export interface PatchOptions extends WriteOptions {
  /** Server-side apply only: take conflicting fields. */
  readonly force?: boolean;
}

export interface DeleteOptions extends RequestOptions {
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly propagationPolicy?: 'Foreground' | 'Background' | 'Orphan';
  readonly gracePeriodSeconds?: number;
  readonly dryRun?: boolean;
}

/** Anything the typed verbs do not cover: probes, logs, openapi. The path starts with a slash and may carry a query. */
export interface RawRequest extends RequestOptions {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The body must be read to its end, or left by a break: until then it occupies a connection. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: AsyncIterable<Uint8Array>;
}

/** What a simulated cluster answers to every connection into a pod. */
export const NO_CONTAINERS = 'this cluster is simulated: no container runs in it, so there is nothing to connect to';

/** A request for a connection on which both sides send messages: to run a command in a container, or to reach a port of a pod. */
export interface ConnectRequest extends RequestOptions {
  readonly path: string;
  /** What is spoken in the messages, such as `v5.channel.k8s.io`. */
  readonly protocol: string;
}

/** A connection on which both sides send messages. */
export interface Connected {
  /** What comes, no faster than it is taken. Ends when the other side closes, throws when the connection breaks. */
  readonly messages: AsyncIterable<Uint8Array>;
  /** Resolves when there is room for more. */
  send(message: Uint8Array): Promise<void>;
  close(): void;
}

/** One resource as discovery tells it. */
export interface ApiResource {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly subresources: readonly string[];
}

/** A kind whatever its version, with the one that is wanted where it is served. */
export interface KindRef {
  readonly group: string;
  readonly kind: string;
  readonly version?: string;
}

/** What the API server serves. Answers come from a cache that a CRD change or an unknown kind refreshes. */
export interface Discovery {
  /** The resource of a kind; throws `NoMatchError` for no such kind, `DiscoveryFailedError` when its group could not be asked. */
  resolve(type: TypeRef, signal?: AbortSignal): Promise<ApiResource>;
  /**
   * The resource of a kind at the version wanted where that is served, else at the one that the server prefers. Throws `NoMatchError` for a
   * kind that is served at no version at all, which the server has confirmed, and `DiscoveryFailedError` while nobody can tell.
   */
  resolveKind(of: KindRef, signal?: AbortSignal): Promise<ApiResource>;
  /** All resources at preferred and other versions. */
  all(signal?: AbortSignal): Promise<readonly ApiResource[]>;
  /** Forget what is cached, for instance because a CRD changed. */
  invalidate(): void;
}

/**
 * The one door to a Kubernetes API server. Two implementations, remote and embedded; callers cannot tell them apart.
 * Objects are passed as the server has them, never trimmed or re-dated. Answers of the server that are no success
 * are thrown as KubeApiError, failures of transport as KubeTransportError.
 */
export interface Cluster {
  readonly discovery: Discovery;
  get(at: ObjectAddress, options?: GetOptions): Promise<KubeObject>;
  /** Pages until the end; failing on a later page throws, so a shorter list is never mistaken for the whole. */
  list(of: CollectionAddress, options?: ListOptions): AsyncIterable<ListPage>;
  /** Ends when the server ends it or the signal aborts; throws KubeApiError for an ERROR event (410 is Expired). */
  watch(of: CollectionAddress, options?: WatchOptions): AsyncIterable<WatchEvent>;
  create(object: KubeObject, options?: WriteOptions): Promise<KubeObject>;
  update(object: KubeObject, options?: WriteOptions): Promise<KubeObject>;
  patch(at: ObjectAddress, patch: PatchBody, options?: PatchOptions): Promise<KubeObject>;
  /** Answers the object while finalizers or grace hold it, else the server's Status. */
  delete(at: ObjectAddress, options?: DeleteOptions): Promise<KubeObject>;
  deleteCollection(of: CollectionAddress, options?: DeleteOptions & Selectors): Promise<void>;
  request(request: RawRequest): Promise<RawAnswer>;
  /** Opens a WebSocket. The simulated cluster refuses: no container runs there. */
  connect(request: ConnectRequest): Promise<Connected>;
  /** The same port acting as that person. */
  as(person: Person): Cluster;
}
