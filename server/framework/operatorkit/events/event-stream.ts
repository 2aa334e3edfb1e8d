/** What an informer tells of an object. */
export type ObjectEvent<TObject> =
  | { readonly type: 'update'; readonly object: TObject }
  /** A tombstone is the last known state of an object whose deletion was not seen, or at least its name. */
  | { readonly type: 'delete'; readonly object: TObject; readonly tombstone?: true };

/** What an informer tells, in one ordered stream: an update never overtakes a deletion. */
export type InformerEvent<TObject> = ObjectEvent<TObject> | { readonly type: 'error'; readonly error: unknown };

/** Where events come from. The stream ends when the signal aborts. */
export interface EventSource<TObject> {
  /** `onListed` is called once, when the first listing is done: everything there is has been told, or is about to be. */
  watch(signal: AbortSignal, onListed?: () => void): AsyncIterable<InformerEvent<TObject>>;
}
