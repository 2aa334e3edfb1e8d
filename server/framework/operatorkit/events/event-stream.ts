/** What an informer tells, in one ordered stream: an update never overtakes a deletion. */
export type InformerEvent<TObject> =
  | { readonly type: 'update'; readonly object: TObject }
  /** A tombstone is the last known state of an object whose deletion was not seen. */
  | { readonly type: 'delete'; readonly object: TObject; readonly tombstone?: true }
  | { readonly type: 'error'; readonly error: unknown };

/** Where events come from. The stream ends when the signal aborts. */
export interface EventSource<TObject> {
  watch(signal: AbortSignal): AsyncIterable<InformerEvent<TObject>>;
}
