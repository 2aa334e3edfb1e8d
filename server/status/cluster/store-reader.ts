import type { KubeObject } from '@/lib/kube/object';
import { toObjectKey } from '@/lib/kube/object';
import type { Store } from '@/server/kube';
import { KubeApiError } from '@/server/kube';
import type { GroupKind, ObjMetadata } from '../identifier';
import type { ClusterReader } from './cluster-reader';
import type { LabelSelector } from './label-selector';
import { NotCachedError } from './read-errors';

/** Finds the shared copy of a kind; undefined when nobody opened one. */
export type FindStore = (of: GroupKind) => Store | undefined;

/** Answers from shared copies: no call is made, and what was listed is told, so that its changes can be followed. */
export class StoreClusterReader implements ClusterReader {
  readonly #find: FindStore;
  readonly #onList: (of: GroupKind, namespace: string, selector: LabelSelector) => void;

  constructor(find: FindStore, onList: (of: GroupKind, namespace: string, selector: LabelSelector) => void = () => undefined) {
    this.#find = find;
    this.#onList = onList;
  }

  async sync(): Promise<void> {}

  async get(_signal: AbortSignal, identifier: ObjMetadata): Promise<KubeObject> {
    const found = this.#require(identifier, identifier.namespace).get(toObjectKey(identifier));
    if (found !== undefined) return found;
    throw new KubeApiError({ code: 404, reason: 'NotFound', message: `${identifier.kind} "${identifier.name}" not found` });
  }

  async listNamespaceScoped(_signal: AbortSignal, of: GroupKind, namespace: string, selector: LabelSelector): Promise<readonly KubeObject[]> {
    this.#onList(of, namespace, selector);
    const objects = this.#require(of, namespace).list(namespace === '' ? undefined : namespace);
    return objects.filter((object) => selector.matches(object.metadata.labels));
  }

  listClusterScoped(signal: AbortSignal, of: GroupKind, selector: LabelSelector): Promise<readonly KubeObject[]> {
    return this.listNamespaceScoped(signal, of, '', selector);
  }

  #require(of: GroupKind, namespace: string): Store {
    const store = this.#find(of);
    if (store === undefined) throw new NotCachedError(of, namespace, { version: '*' });
    return store;
  }
}
