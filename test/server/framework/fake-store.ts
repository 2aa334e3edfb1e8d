import type { KubeObject, ObjectKey } from '@/lib/kube/object';
import { toObjectKey } from '@/lib/kube/object';
import { compareResourceVersions } from '@/lib/kube/resource-version';
import type { Instant } from '@/lib/std/instant';
import { toInstant } from '@/lib/std/instant';
import type { InformerScope, PollAnswer, PolledPart, Store, StoreChange } from '@/server/kube';
import type { Coverage, IndexFunction, InformerHealth, InformerState, Knowledge } from '@/server/kube/informer';
import { knowledgeOf, PolledParts } from '@/server/kube/informers/parts/polled-parts';

/** A store that the test fills by hand; it syncs when told. */
export class FakeStore implements Store {
  readonly scope: InformerScope;
  /** The version that its watch has reached. */
  reached: string | undefined;
  /** When its watch or a poll brought something last. */
  contactAt: Instant | undefined;
  readonly #objects = new Map<ObjectKey, KubeObject>();
  readonly #indexes = new Map<string, IndexFunction>();
  readonly #handlers = new Set<(change: StoreChange) => void>();
  readonly #waiters = new Set<() => void>();
  readonly #healthHandlers = new Set<(health: InformerHealth) => void>();
  #state: InformerState = { kind: 'watching' };
  #synced: boolean;

  constructor(options: { readonly synced?: boolean; readonly scope?: InformerScope } = {}) {
    this.#synced = options.synced ?? true;
    this.scope = options.scope ?? { apiVersion: 'v1', kind: 'ConfigMap' };
  }

  put(object: KubeObject): void {
    const key = toObjectKey(object.metadata);
    const before = this.#objects.get(key);
    this.#objects.set(key, object);
    for (const handler of this.#handlers) handler({ key, before, after: object });
  }

  remove(key: ObjectKey): void {
    const before = this.#objects.get(key);
    this.#objects.delete(key);
    for (const handler of this.#handlers) handler({ key, before, after: undefined });
  }

  sync(): void {
    this.#synced = true;
    for (const waiter of this.#waiters) waiter();
  }

  get subscribers(): number {
    return this.#handlers.size;
  }

  get(key: ObjectKey): KubeObject | undefined {
    return this.#objects.get(key);
  }

  list(namespace?: string): readonly KubeObject[] {
    return [...this.#objects.values()].filter((object) => namespace === undefined || object.metadata.namespace === namespace);
  }

  byIndex(index: string, value: string): readonly KubeObject[] {
    const valuesOf = this.#indexes.get(index);
    return [...this.#objects.values()].filter((object) => valuesOf?.(object).includes(value));
  }

  addIndex(name: string, index: IndexFunction): void {
    this.#indexes.set(name, index);
  }

  subscribe(handler: (change: StoreChange) => void, options: { readonly replay?: boolean } = {}): () => void {
    this.#handlers.add(handler);
    if (options.replay) for (const [key, after] of this.#objects) handler({ key, before: undefined, after });
    return () => void this.#handlers.delete(handler);
  }

  onHealth(handler: (health: InformerHealth) => void): () => void {
    this.#healthHandlers.add(handler);
    return () => void this.#healthHandlers.delete(handler);
  }

  /** Says what the store is doing, for instance that it cannot reach the server. */
  setState(state: InformerState): void {
    this.#state = state;
    for (const handler of this.#healthHandlers) handler(this.health());
  }

  health(): InformerHealth {
    return {
      state: this.#state,
      synced: this.#synced,
      lastEventAt: undefined,
      lastContactAt: this.contactAt,
      resourceVersion: this.reached,
      objects: this.#objects.size,
    };
  }

  readonly #polled = new PolledParts();

  knowledge(key: ObjectKey): Knowledge {
    return knowledgeOf(this.scope.kind, this.health(), this.#polled.of(key));
  }

  takeIn(object: KubeObject): void {
    const isAhead = compareResourceVersions(object.metadata.resourceVersion ?? '', this.reached ?? '') > 0;
    if (this.#state.kind === 'watching' && isAhead) this.put(object);
  }

  async acceptPoll(part: PolledPart, answer: PollAnswer): Promise<void> {
    this.#polled.note(part, answer, toInstant(0));
    if ('objects' in answer) for (const object of answer.objects) this.put(object);
    for (const handler of this.#healthHandlers) handler(this.health());
  }

  watchParts(): readonly string[] {
    return [];
  }

  /** How it is read by namespace, where that is tried. */
  readonly coverage = new Map<string, Coverage>();

  needIn(): () => void {
    return () => undefined;
  }

  needed(): readonly string[] {
    return [...this.coverage.keys()];
  }

  covers(namespace: string): Coverage {
    return this.coverage.get(namespace) ?? { kind: this.#synced ? 'held' : 'later' };
  }

  keepPolled(namespaces: readonly string[]): void {
    this.#polled.keep(namespaces);
  }

  synced(signal?: AbortSignal): Promise<void> {
    if (this.#synced) return Promise.resolve();
    return new Promise((resolve, reject) => {
      this.#waiters.add(resolve);
      signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
  }
}

/** A ConfigMap of that name in namespace shop. */
export function aConfigMap(name: string, labels: Readonly<Record<string, string>> = {}): KubeObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'shop', name, labels } };
}
