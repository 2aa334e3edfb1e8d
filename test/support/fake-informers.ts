import type { KubeObject, ObjectKey } from '@/lib/kube/object';
import { groupOf, toObjectKey } from '@/lib/kube/object';
import type { Instant } from '@/lib/std/instant';
import type { InformerScope, Informers, NamespaceSource, Store, StoreChange, StoreUse } from '@/server/kube';
import { OWNER_INDEX } from '@/server/kube';
import type { Coverage, IndexFunction, InformerHealth, InformerState, Knowledge } from '@/server/kube/informer';
import { knowledgeOf } from '@/server/kube/informers/parts/polled-parts';
import type { FakeApiServer } from './dispatch-server';

/**
 * What ails the copies of a kind: the first list fails, or came to every second object so far; the watch was lost after that, or the
 * watch is behind and nobody knows.
 */
export type Ailment = 'unlisted' | 'partial' | 'lost' | 'behind';

/** Informers over the fake API server whose copies are never behind, unless they are told to be. */
export class FakeInformers implements Informers {
  readonly #server: FakeApiServer;
  readonly #stores = new Map<string, FakeStore>();
  readonly #ailments = new Map<string, Ailment>();
  /** Kinds whose copies are never synced, as when a list is forbidden. */
  readonly broken = new Set<string>();
  /** Into which namespaces kinds are needed that are read by namespace where they may not be as a whole. */
  readonly needed = new Map<string, NamespaceSource>();

  constructor(server: FakeApiServer) {
    this.#server = server;
  }

  open(scope: InformerScope): StoreUse {
    const key = `${groupOf(scope.apiVersion)}/${scope.kind}`;
    const ailment = () => (this.broken.has(scope.kind) ? 'unlisted' : this.#ailments.get(scope.kind));
    const store = this.#stores.get(key) ?? new FakeStore(this.#server, scope, { ailment, needed: this.needed });
    this.#stores.set(key, store);
    return { store, release: () => undefined, [Symbol.asyncDispose]: async () => undefined };
  }

  /** From now on the copies of a kind ail. */
  fall(kind: string, ailment: Ailment): void {
    for (const store of this.#stores.values()) if (store.scope.kind === kind) store.freeze();
    this.#ailments.set(kind, ailment);
    for (const store of this.#stores.values()) if (store.scope.kind === kind) store.notifyHealth();
  }

  /** Every copy is complete again, and what was missed is told. */
  recover(): void {
    this.#ailments.clear();
    for (const store of this.#stores.values()) store.catchUp();
  }

  async relist(): Promise<void> {}

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
  readonly #ailmentOf: () => Ailment | undefined;
  readonly #needed: Map<string, NamespaceSource>;
  readonly #handlers = new Set<(change: StoreChange) => void>();
  readonly #healthHandlers = new Set<(health: InformerHealth) => void>();
  readonly #indexes = new Map<string, IndexFunction>([
    [OWNER_INDEX, (object) => (object.metadata.ownerReferences ?? []).map(({ uid }) => uid)],
    ['namespace', (object) => [object.metadata.namespace ?? '']],
  ]);
  /** What was there when the copies began to ail. */
  #frozen: readonly KubeObject[] | undefined;
  #missed: StoreChange[] = [];

  constructor(
    server: FakeApiServer,
    scope: InformerScope,
    { ailment, needed }: { readonly ailment: () => Ailment | undefined; readonly needed: Map<string, NamespaceSource> },
  ) {
    this.#server = server;
    this.scope = scope;
    this.#ailmentOf = ailment;
    this.#needed = needed;
    this.#frozen = ailment() === undefined ? undefined : this.#live();
  }

  #holds(object: KubeObject | undefined): object is KubeObject {
    return object !== undefined && object.kind === this.scope.kind && groupOf(object.apiVersion) === groupOf(this.scope.apiVersion);
  }

  #live(): readonly KubeObject[] {
    return this.#server.all().filter((object) => this.#holds(object));
  }

  freeze(): void {
    this.#frozen ??= this.#live();
  }

  catchUp(): void {
    this.#frozen = undefined;
    this.notifyHealth();
    for (const change of this.#missed.splice(0)) for (const handler of this.#handlers) handler(change);
  }

  notifyHealth(): void {
    for (const handler of this.#healthHandlers) handler(this.health());
  }

  get(key: ObjectKey): KubeObject | undefined {
    return this.list().find((object) => toObjectKey(object.metadata) === key);
  }

  list(namespace?: string): readonly KubeObject[] {
    const ailment = this.#ailmentOf();
    if (ailment === 'unlisted') return [];
    const held = ailment === undefined ? this.#live() : (this.#frozen ?? this.#live());
    return held.filter(
      (object, at) => (ailment !== 'partial' || at % 2 === 0) && (namespace === undefined || object.metadata.namespace === namespace),
    );
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
      if (!this.#holds(object)) return;
      const change = { key: toObjectKey(object.metadata), before, after };
      if (this.#ailmentOf() === undefined) handler(change);
      else this.#missed.push(change);
    };
    if (options.replay) for (const object of this.list()) handler({ key: toObjectKey(object.metadata), before: undefined, after: object });
    this.#server.watchers.add(watcher);
    this.#handlers.add(handler);
    return () => {
      this.#server.watchers.delete(watcher);
      this.#handlers.delete(handler);
    };
  }

  knowledge(): Knowledge {
    return knowledgeOf(this.scope.kind, this.health());
  }

  takeIn(): void {
    // Its copies are the server's, or ail.
  }

  async acceptPoll(): Promise<void> {}

  watchParts(): readonly string[] {
    return [];
  }

  needIn(places: NamespaceSource): () => void {
    this.#needed.set(this.scope.kind, places);
    return () => undefined;
  }

  needed(): undefined {
    return undefined;
  }

  covers(): Coverage {
    return { kind: 'held' };
  }

  keepPolled(): void {}

  onHealth(handler: (health: InformerHealth) => void): () => void {
    this.#healthHandlers.add(handler);
    return () => void this.#healthHandlers.delete(handler);
  }

  health(): InformerHealth {
    const ailment = this.#ailmentOf();
    const state = HEALTH_OF[ailment ?? 'well'];
    const synced = ailment !== 'unlisted' && ailment !== 'partial';
    return { state, synced, lastEventAt: undefined, lastContactAt: undefined, resourceVersion: undefined, objects: this.list().length };
  }

  async synced(): Promise<void> {
    if (!this.health().synced) await new Promise(() => undefined);
  }
}

const HEALTH_OF: Readonly<Record<Ailment | 'well', InformerState>> = {
  well: { kind: 'watching' },
  behind: { kind: 'watching' },
  unlisted: { kind: 'retrying', reason: 'the list is refused', since: 0 as Instant },
  partial: { kind: 'listing' },
  lost: { kind: 'retrying', reason: 'the watch was cut', since: 0 as Instant },
};
