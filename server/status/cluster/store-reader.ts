import type { KubeObject } from '@/lib/kube/object';
import { toObjectKey } from '@/lib/kube/object';
import type { Store } from '@/server/kube';
import { KubeApiError } from '@/server/kube';
import type { Awaitable } from '../awaitable';
import type { GroupKind, ObjMetadata } from '../identifier';
import type { ClusterReader } from './cluster-reader';
import type { LabelIndexKey } from './label-index-key';
import { labelIndexKeyOf, valueIn } from './label-index-key';
import type { LabelSelector } from './label-selector';

/** Finds the shared copy of a kind; undefined when nobody opened one. */
export type FindStore = (of: GroupKind) => Store | undefined;

/**
 * Answers from shared copies, at once: no call is made, and what was listed is told, so that its changes can be followed. Where there is no
 * copy of a kind, or it may not be read, it lists nothing: an owner whose children nobody may read is judged by itself.
 */
export class StoreClusterReader implements ClusterReader {
  readonly #find: FindStore;
  readonly #onList: (of: GroupKind, namespace: string, selector: LabelSelector) => void;

  constructor(find: FindStore, onList: (of: GroupKind, namespace: string, selector: LabelSelector) => void = () => undefined) {
    this.#find = find;
    this.#onList = onList;
  }

  async sync(): Promise<void> {}

  get(_signal: AbortSignal, identifier: ObjMetadata): Awaitable<KubeObject> {
    const found = this.#find(identifier)?.get(toObjectKey(identifier));
    return (
      found ??
      Promise.reject(new KubeApiError({ code: 404, reason: 'NotFound', message: `${identifier.kind} "${identifier.name}" not found` }))
    );
  }

  listNamespaceScoped(_signal: AbortSignal, of: GroupKind, namespace: string, selector: LabelSelector): readonly KubeObject[] {
    this.#onList(of, namespace, selector);
    const store = this.#find(of);
    // What may not be read any more is no evidence, whatever the copy last held.
    if (store?.knowledge(toObjectKey({ namespace, name: '' })).kind === 'forbidden') return [];
    return store === undefined ? [] : candidates(store, namespace, selector).filter((object) => selector.matches(object.metadata.labels));
  }

  listClusterScoped(signal: AbortSignal, of: GroupKind, selector: LabelSelector): readonly KubeObject[] {
    return this.listNamespaceScoped(signal, of, '', selector);
  }
}

/** Indexes by label that a copy gets at most. Selectors of a cluster name few different sets of labels; nobody may fill the memory with new ones. */
const MAX_LABEL_INDEXES = 32;
const declared = new WeakMap<Store, Set<string>>();

/** What a selector may select: only what has its labels, as far as there is an index for them. */
function candidates(store: Store, namespace: string, selector: LabelSelector): readonly KubeObject[] {
  if (namespace === '') return store.list();
  const file = labelIndexKeyOf(selector);
  const index = file && declareIndex(store, file);
  return index === undefined ? store.list(namespace) : store.byIndex(index, `${namespace} ${file?.value}`);
}

function declareIndex(store: Store, { names, name }: LabelIndexKey): string | undefined {
  const known = declared.get(store) ?? new Set();
  declared.set(store, known);
  const index = `labels ${name}`;
  if (known.has(index)) return index;
  if (known.size >= MAX_LABEL_INDEXES) return undefined;
  store.addIndex(index, (object) => {
    const value = valueIn(names, object);
    return value === undefined ? [] : [`${object.metadata.namespace ?? ''} ${value}`];
  });
  known.add(index);
  return index;
}
