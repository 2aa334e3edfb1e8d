import type { KubeObject, ObjectKey } from '@/lib/kube/object';
import { groupOf, toObjectKey } from '@/lib/kube/object';
import type { IndexFunction, InformerScope, Informers, Store, StoreChange, StoreUse } from '@/server/kube';
import { OWNER_INDEX } from '@/server/kube';
import type { FakeApiServer } from './dispatch-server';

/** Informers over the fake API server whose copies are never behind. */
export class FakeInformers implements Informers {
  readonly #server: FakeApiServer;
  readonly #stores = new Map<string, FakeStore>();
  /** Kinds whose copies are never synced, as when a list is forbidden. */
  readonly broken = new Set<string>();

  constructor(server: FakeApiServer) {
    this.#server = server;
  }

  open(scope: InformerScope): StoreUse {
    const key = `${groupOf(scope.apiVersion)}/${scope.kind}`;
    const store = this.#stores.get(key) ?? new FakeStore(this.#server, scope, () => !this.broken.has(scope.kind));
    this.#stores.set(key, store);
    return { store, release: () => undefined, [Symbol.asyncDispose]: async () => undefined };
  }

  all(): readonly Store[] {
    return [...this.#stores.values()];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stores.clear();
  }
}

class FakeStore implements Store {
  readonly scope: InformerScope;
  readonly #server: FakeApiServer;
  readonly #isWell: () => boolean;
  readonly #indexes = new Map<string, IndexFunction>([
    [OWNER_INDEX, (object) => (object.metadata.ownerReferences ?? []).map(({ uid }) => uid)],
    ['namespace', (object) => [object.metadata.namespace ?? '']],
  ]);

  constructor(server: FakeApiServer, scope: InformerScope, isWell: () => boolean) {
    this.#server = server;
    this.scope = scope;
    this.#isWell = isWell;
  }

  #holds(object: KubeObject | undefined): object is KubeObject {
    return object !== undefined && object.kind === this.scope.kind && groupOf(object.apiVersion) === groupOf(this.scope.apiVersion);
  }

  get(key: ObjectKey): KubeObject | undefined {
    return this.list().find((object) => toObjectKey(object.metadata) === key);
  }

  list(namespace?: string): readonly KubeObject[] {
    if (!this.#isWell()) return [];
    return this.#server.all().filter((object) => this.#holds(object) && (namespace === undefined || object.metadata.namespace === namespace));
  }

  byIndex(index: string, value: string): readonly KubeObject[] {
    const filed = this.#indexes.get(index);
    if (filed === undefined) throw new Error(`no index ${index} on ${this.scope.kind}`);
    return this.list().filter((object) => filed(object).includes(value));
  }

  addIndex(name: string, index: IndexFunction): void {
    this.#indexes.set(name, index);
  }

  subscribe(handler: (change: StoreChange) => void, options: { readonly replay?: boolean } = {}): () => void {
    const watcher = (before: KubeObject | undefined, after: KubeObject | undefined) => {
      const object = after ?? before;
      if (this.#isWell() && this.#holds(object)) handler({ key: toObjectKey(object.metadata), before, after });
    };
    if (options.replay) for (const object of this.list()) handler({ key: toObjectKey(object.metadata), before: undefined, after: object });
    this.#server.watchers.add(watcher);
    return () => void this.#server.watchers.delete(watcher);
  }

  onHealth(): () => void {
    return () => undefined;
  }

  health() {
    const state = this.#isWell() ? ({ kind: 'watching' } as const) : ({ kind: 'listing' } as const);
    return { state, synced: this.#isWell(), lastEventAt: undefined, lastContactAt: undefined, resourceVersion: undefined, objects: this.list().length };
  }

  async synced(): Promise<void> {
    if (!this.#isWell()) await new Promise(() => undefined);
  }
}
