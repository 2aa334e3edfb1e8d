import { AppError, messageOf } from '@/lib/contract/app-error';
import type { KubeObject, ObjectKey } from '@/lib/kube/object';
import { toObjectKey } from '@/lib/kube/object';
import { compareResourceVersions } from '@/lib/kube/resource-version';
import type { Instant } from '@/lib/std/instant';
import type { Clock, Log, Random } from '@/server/platform';
import { FaultIsolation, supervise } from '@/server/platform';
import type { Cluster } from '../cluster';
import type { ListSlot, ReflectorDeps, WatchHeartbeat } from '../collection/reflector';
import { Reflector } from '../collection/reflector';
import type {
  Coverage,
  InformerHealth,
  InformerScope,
  InformerState,
  Knowledge,
  NamespaceSource,
  PollAnswer,
  PolledPart,
  Store,
  StoreChange,
} from '../informer';
import { OWNER_INDEX } from '../informer';
import { toFrozenCopy } from './frozen-copy';
import { InitialList } from './initial-list';
import { Listeners } from './listeners';
import type { ObjectStore } from './object-store';
import { createObjectStore } from './object-store';
import { PartReads } from './parts/part-reads';

export const NAMESPACE_INDEX = 'namespace';

export interface SharedStoreDeps {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly takeTurn: ListSlot;
  /** Counts a handler that threw. */
  readonly onHandlerError: () => void;
  /** Counts a change that was made. */
  readonly onChange: () => void;
}

/** One watched copy of a collection, with its subscribers. Starts with `start` and ends with disposal. */
export class SharedStore implements Store, AsyncDisposable {
  readonly scope: InformerScope;
  readonly #deps: SharedStoreDeps;
  readonly #objects: ObjectStore;
  readonly #changes = new Listeners<StoreChange>((error) => this.#handlerThrew(error));
  readonly #healths = new Listeners<InformerHealth>((error) => this.#handlerThrew(error));
  readonly #stop = new AbortController();
  readonly #reflectors = new Set<Reflector>();
  readonly #firstList = new InitialList();
  readonly #contain: FaultIsolation;
  readonly #parts: PartReads;
  #running: Promise<void> = Promise.resolve();
  #state: InformerState = { kind: 'listing' };
  #contact: WatchHeartbeat = { version: undefined, event: false, synced: false };
  #lastEventAt: Instant | undefined;
  #lastContactAt: Instant | undefined;

  constructor(scope: InformerScope, deps: SharedStoreDeps) {
    this.scope = scope;
    this.#deps = deps;
    this.#contain = new FaultIsolation(deps.log);
    this.#objects = createObjectStore((change) => this.#emit(change));
    this.#objects.addIndex(OWNER_INDEX, ownersOf);
    this.#objects.addIndex(NAMESPACE_INDEX, namespaceOf);
    this.#parts = new PartReads({
      scope,
      objects: this.#objects,
      clock: deps.clock,
      state: () => this.#state,
      reflect: (part, signal) => this.#reflect(part, signal),
      onHealth: () => this.#notifyHealth(),
      onContact: (at) => {
        this.#lastContactAt = at;
      },
    });
  }

  start(): void {
    const own = {
      scope: this.scope,
      objects: this.#objects,
      onState: (state: InformerState) => this.#setState(state),
      onContact: (contact: WatchHeartbeat) => this.#hear(contact),
    };
    this.#running = this.#reflect(own, this.#stop.signal);
  }

  /** Reads everything once more, as the cluster serves it now. */
  async relist(): Promise<void> {
    await Promise.all([...this.#reflectors].map((reflector) => reflector.relist()));
  }

  /** Keeps the copy, or one namespace of it, equal to the server's until the signal aborts. */
  #reflect(of: Pick<ReflectorDeps, 'scope' | 'objects' | 'onState' | 'onContact'>, signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#deps;
    const where = of.scope.namespace === this.scope.namespace ? '' : ` in ${of.scope.namespace}`;
    return supervise(`informer of ${this.scope.kind}${where}`, () => this.#run(new Reflector({ ...this.#deps, ...of }), signal), {
      clock,
      log,
      signal,
    });
  }

  async #run(reflector: Reflector, signal: AbortSignal): Promise<void> {
    this.#reflectors.add(reflector);
    try {
      await reflector.run(signal);
    } finally {
      this.#reflectors.delete(reflector);
    }
  }

  watchParts(namespaces: readonly string[]): readonly string[] {
    return this.#parts.watch(namespaces);
  }

  needIn(places: NamespaceSource): () => void {
    return this.#parts.needIn(places);
  }

  needed(): readonly string[] | undefined {
    return this.#parts.needed();
  }

  covers(namespace: string | undefined): Coverage {
    return this.#firstList.isThrough ? { kind: 'held' } : this.#parts.covers(namespace);
  }

  get(key: string): KubeObject | undefined {
    return this.#objects.get(key);
  }

  list(namespace?: string): readonly KubeObject[] {
    return namespace === undefined ? this.#objects.all() : this.#objects.byIndex(NAMESPACE_INDEX, namespace);
  }

  byIndex(index: string, value: string): readonly KubeObject[] {
    return this.#objects.byIndex(index, value);
  }

  addIndex(name: string, index: (object: KubeObject) => readonly string[]): void {
    // What an index makes of one object must not end the list that brings all others.
    const contained: typeof index = (object) =>
      this.#contain.attempt(
        { what: 'index', kind: this.scope.kind, key: toObjectKey(object.metadata), version: object.metadata.resourceVersion },
        () => index(object),
        () => [],
      );
    this.#objects.addIndex(name, contained);
  }

  subscribe(handler: (change: StoreChange) => void, { replay = false }: { readonly replay?: boolean } = {}): () => void {
    return this.#changes.add(handler, replay ? asAdded(this.#objects.all()) : []);
  }

  onHealth(handler: (health: InformerHealth) => void): () => void {
    return this.#healths.add(handler);
  }

  health(): InformerHealth {
    return {
      state: this.#state,
      synced: this.#firstList.isThrough,
      lastEventAt: this.#lastEventAt,
      lastContactAt: this.#lastContactAt,
      resourceVersion: this.#contact.version,
      objects: this.#objects.size,
      ...this.#parts.health(),
    };
  }

  knowledge(key: ObjectKey): Knowledge {
    return this.#parts.knowledge(key, this.health());
  }

  async acceptPoll(part: PolledPart, answer: PollAnswer, everyMs: number): Promise<void> {
    await this.#parts.acceptPoll(part, answer, everyMs);
  }

  keepPolled(namespaces: readonly string[]): void {
    this.#parts.keepPolled(namespaces);
  }

  takeIn(object: KubeObject): void {
    // Of what the watch has come to it may have told the end already; how far others are, such as those of one namespace, is not known.
    if (this.#state.kind !== 'watching') return;
    if (compareResourceVersions(object.metadata.resourceVersion ?? '', this.#contact.version ?? '') > 0)
      this.#objects.putAhead(toFrozenCopy(object));
  }

  async synced(signal?: AbortSignal): Promise<void> {
    await this.#firstList.wait(signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#stop.signal.aborted) {
      const reason = new AppError('unavailable', `the store of ${this.scope.kind} was closed`);
      this.#stop.abort(reason);
      this.#setState({ kind: 'stopped' });
      this.#firstList.close(reason);
    }
    await Promise.all([this.#running, this.#parts.ended()]);
  }

  #emit(change: StoreChange): void {
    this.#deps.onChange();
    this.#changes.notify(change);
  }

  #handlerThrew(error: unknown): void {
    this.#deps.onHandlerError();
    this.#deps.log.error({ kind: this.scope.kind, error: messageOf(error) }, 'a handler of a watched kind threw');
  }

  #setState(state: InformerState): void {
    if (this.#state.kind === 'stopped') return;
    const hasChanged =
      state.kind !== this.#state.kind ||
      (state.kind === 'retrying' && this.#state.kind === 'retrying' && state.reason !== this.#state.reason);
    this.#state = state;
    this.#parts.follow(state);
    if (hasChanged) this.#notifyHealth();
  }

  #notifyHealth(): void {
    this.#healths.notify(this.health());
  }

  #hear(contact: WatchHeartbeat): void {
    const now = this.#deps.clock.now();
    this.#contact = contact;
    this.#lastContactAt = now;
    if (contact.event) this.#lastEventAt = now;
    if (contact.synced && !this.#firstList.isThrough) this.#firstList.pass();
  }
}

function* asAdded(objects: readonly KubeObject[]): Iterable<StoreChange> {
  for (const object of objects) yield { key: toObjectKey(object.metadata), before: undefined, after: object };
}

const ownersOf = (object: KubeObject) => object.metadata.ownerReferences?.map((owner) => owner.uid) ?? [];
const namespaceOf = (object: KubeObject) => (object.metadata.namespace ? [object.metadata.namespace] : []);
