import { AppError, messageOf } from '@/lib/contract/app-error';
import type { KubeObject, ObjectKey } from '@/lib/kube/object';
import { parseObjectKey, toObjectKey } from '@/lib/kube/object';
import { compareResourceVersions } from '@/lib/kube/resource-version';
import type { Instant } from '@/lib/std/instant';
import type { Clock, Log, Random } from '@/server/platform';
import { Containment, supervise } from '@/server/platform';
import type { Cluster } from '../cluster';
import type { Coverage, InformerHealth, InformerScope, InformerState, Knowledge, Places, PollAnswer, PolledPart, Store, StoreChange } from '../informer';
import { OWNER_INDEX } from '../informer';
import { coverageOf, Needs } from './coverage';
import { toFrozenCopy } from './frozen-copy';
import type { ObjectStore } from './object-store';
import { createObjectStore } from './object-store';
import { PartWatches } from './part-watches';
import { knowledgeOf, PolledParts } from './polled-parts';
import type { Contact, ListTurn, ReflectorDeps } from './reflector';
import { Reflector } from './reflector';

export const NAMESPACE_INDEX = 'namespace';

export interface SharedStoreDeps {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly takeTurn: ListTurn;
  /** Counts a handler that threw. */
  readonly onHandlerError: () => void;
  /** Counts a change that was made. */
  readonly onChange: () => void;
}

type ChangeHandler = (change: StoreChange) => void;
type HealthHandler = (health: InformerHealth) => void;

/** One watched copy of a collection, with its subscribers. Starts with `start` and ends with disposal. */
export class SharedStore implements Store, AsyncDisposable {
  readonly scope: InformerScope;
  readonly #deps: SharedStoreDeps;
  readonly #objects: ObjectStore;
  readonly #changeHandlers = new Set<ChangeHandler>();
  readonly #healthHandlers = new Set<HealthHandler>();
  readonly #stop = new AbortController();
  #running: Promise<void> = Promise.resolve();
  readonly #reflectors = new Set<Reflector>();
  #state: InformerState = { kind: 'listing' };
  #contact: Contact = { version: undefined, event: false, synced: false };
  #isSynced = false;
  #lastEventAt: Instant | undefined;
  #lastContactAt: Instant | undefined;
  readonly #contain: Containment;
  readonly #polled = new PolledParts();
  readonly #parts = new PartWatches((namespace, signal, onState) => this.#watchPart(namespace, signal, onState), {
    change: (namespace, isWatching) => this.#partTold(namespace, isWatching),
    refusal: () => this.#tellHealth(),
  });
  readonly #needs = new Needs();
  /** Namespaces that polls found objects of interest in. */
  #looked: readonly string[] = [];
  #polledEveryMs: number | undefined;
  #waiters: { resolve(): void; reject(reason: unknown): void }[] = [];

  constructor(scope: InformerScope, deps: SharedStoreDeps) {
    this.scope = scope;
    this.#deps = deps;
    this.#contain = new Containment(deps.log);
    this.#objects = createObjectStore((change) => this.#emit(change));
    this.#objects.addIndex(OWNER_INDEX, ownersOf);
    this.#objects.addIndex(NAMESPACE_INDEX, namespaceOf);
  }

  start(): void {
    const { clock, log } = this.#deps;
    const { signal } = this.#stop;
    const own = {
      scope: this.scope,
      objects: this.#objects,
      onState: (state: InformerState) => this.#setState(state),
      onContact: (contact: Contact) => this.#hear(contact),
    };
    this.#running = supervise(`informer of ${this.scope.kind}`, () => this.#reflect(new Reflector({ ...this.#deps, ...own }), signal), { clock, log, signal });
  }

  /** Reads everything once more, as the cluster serves it now. */
  async readAnew(): Promise<void> {
    await Promise.all([...this.#reflectors].map((reflector) => reflector.readAnew()));
  }

  async #reflect(reflector: Reflector, signal: AbortSignal): Promise<void> {
    this.#reflectors.add(reflector);
    try {
      await reflector.run(signal);
    } finally {
      this.#reflectors.delete(reflector);
    }
  }

  watchParts(namespaces: readonly string[]): readonly string[] {
    this.#looked = namespaces;
    this.#setParts();
    return this.#parts.watching();
  }

  needIn(places: Places): () => void {
    const forget = this.#needs.add(places);
    const unsubscribe = places.subscribe(() => this.#setParts());
    this.#setParts();
    return () => {
      unsubscribe();
      forget();
      this.#setParts();
    };
  }

  needed(): readonly string[] | undefined {
    return this.#needs.namespaces();
  }

  covers(namespace: string | undefined): Coverage {
    if (this.#isSynced) return { kind: 'held' };
    if (namespace === undefined || !this.#needs.isAsked) return { kind: 'later' };
    return coverageOf(namespace, { parts: this.#parts, polled: this.#polled, needs: this.#needs });
  }

  /** Namespaces are watched one by one while the kind may not be listed as a whole. */
  #setParts(): void {
    const state = this.#state;
    const isByPart = state.kind === 'refused' && state.verb === 'list' && this.scope.namespace === undefined;
    this.#parts.set(isByPart ? [...new Set([...this.#looked, ...(this.needed() ?? [])])] : []);
  }

  /** Keeps one namespace of the copy equal to the server's. */
  #watchPart(namespace: string, signal: AbortSignal, onState: (state: InformerState) => void): Promise<void> {
    const { clock, log } = this.#deps;
    const objects: ReflectorDeps['objects'] = {
      put: (object) => this.#objects.put(object),
      remove: (object) => this.#objects.remove(object),
      replace: (items, versions) => this.#objects.replacePart({ namespace }, items, versions),
    };
    // Its versions are those of one namespace; that it was heard of counts, or a write whose object came and went would be waited for without end.
    const onContact = () => {
      this.#lastContactAt = clock.now();
    };
    const part = { scope: { ...this.scope, namespace }, objects, onState, onContact };
    return supervise(`informer of ${this.scope.kind} in ${namespace}`, () => this.#reflect(new Reflector({ ...this.#deps, ...part }), signal), {
      clock,
      log,
      signal,
    });
  }

  #partTold(namespace: string, isWatching: boolean): void {
    if (isWatching) this.#polled.forget(namespace);
    else this.#polled.note({ namespace }, { objects: [] }, this.#deps.clock.now()); // so far it was as the server had it
    this.#tellHealth();
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

  subscribe(handler: ChangeHandler, { replay = false }: { readonly replay?: boolean } = {}): () => void {
    const own: ChangeHandler = (change) => handler(change); // the same function twice is two subscriptions
    this.#changeHandlers.add(own);
    if (replay) {
      for (const object of this.#objects.all()) this.#tell(own, { key: toObjectKey(object.metadata), before: undefined, after: object });
    }
    return () => void this.#changeHandlers.delete(own);
  }

  onHealth(handler: HealthHandler): () => void {
    const own: HealthHandler = (health) => handler(health);
    this.#healthHandlers.add(own);
    return () => void this.#healthHandlers.delete(own);
  }

  health(): InformerHealth {
    const watchedIn = this.#parts.watching();
    return {
      state: this.#state,
      synced: this.#isSynced,
      lastEventAt: this.#lastEventAt,
      lastContactAt: this.#lastContactAt,
      resourceVersion: this.#contact.version,
      objects: this.#objects.size,
      polledEveryMs: this.#polledEveryMs,
      oldestPollAt: this.#polled.oldest() ?? (watchedIn.length > 0 ? this.#deps.clock.now() : undefined),
      watchedIn: watchedIn.length > 0 ? watchedIn : undefined,
    };
  }

  knowledge(key: ObjectKey): Knowledge {
    if (this.#isWatched(parseObjectKey(key).namespace)) return { kind: 'watched' };
    return knowledgeOf(this.scope.kind, this.health(), this.#polled.of(key));
  }

  async acceptPoll(part: PolledPart, answer: PollAnswer, everyMs: number): Promise<void> {
    const isOver = () => this.#state.kind !== 'refused' || this.#isWatched(part.namespace ?? (part.key && parseObjectKey(part.key).namespace));
    if (isOver()) return;
    const { clock } = this.#deps;
    if ('objects' in answer) {
      const objects = answer.objects.map(toFrozenCopy);
      for (const _piece of this.#objects.replacePart(part, objects)) {
        await clock.sleep(0);
        if (isOver()) return; // the watch is back, and knows better
      }
    }
    const now = clock.now();
    if (!('failed' in answer)) this.#lastContactAt = now;
    this.#polledEveryMs = everyMs;
    if (this.#polled.note(part, answer, now)) this.#tellHealth();
  }

  /** True for a namespace that is watched by itself. */
  #isWatched(namespace: string | undefined): boolean {
    return namespace !== undefined && this.#state.kind === 'refused' && this.#parts.has(namespace);
  }

  keepPolled(namespaces: readonly string[]): void {
    this.#polled.keep(namespaces);
  }

  takeIn(object: KubeObject): void {
    // Of what the watch has come to it may have told the end already; how far others are, such as those of one namespace, is not known.
    if (this.#state.kind !== 'watching') return;
    if (compareResourceVersions(object.metadata.resourceVersion ?? '', this.#contact.version ?? '') > 0) this.#objects.putAhead(toFrozenCopy(object));
  }

  async synced(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    if (this.#isSynced) return;
    if (this.#stop.signal.aborted) throw stoppedError(this.scope);
    await new Promise<void>((resolve, reject) => {
      const onAbort = () => reject(signal?.reason);
      const end =
        <Argument>(settle: (argument: Argument) => void) =>
        (argument: Argument) => {
          signal?.removeEventListener('abort', onAbort);
          settle(argument);
        };
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#waiters.push({ resolve: end(resolve), reject: end(reject) });
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#stop.signal.aborted) {
      this.#stop.abort(stoppedError(this.scope));
      this.#setState({ kind: 'stopped' });
      for (const waiter of this.#waiters.splice(0)) waiter.reject(stoppedError(this.scope));
    }
    await Promise.all([this.#running, this.#parts.ended()]);
  }

  #emit(change: StoreChange): void {
    this.#deps.onChange();
    for (const handler of this.#changeHandlers) this.#tell(handler, change);
  }

  #tell<Message>(handler: (message: Message) => void, message: Message): void {
    try {
      handler(message);
    } catch (error) {
      this.#deps.onHandlerError();
      this.#deps.log.error({ kind: this.scope.kind, error: messageOf(error) }, 'a handler of a watched kind threw');
    }
  }

  #setState(state: InformerState): void {
    if (this.#state.kind === 'stopped') return;
    const isNews = state.kind !== this.#state.kind || (state.kind === 'retrying' && this.#state.kind === 'retrying' && state.reason !== this.#state.reason);
    this.#state = state;
    this.#setParts(); // none while the whole is read: nothing older may be put over it
    if (state.kind !== 'refused' && state.kind !== 'listing') {
      this.#polled.clear();
      this.#polledEveryMs = undefined;
    }
    if (isNews) this.#tellHealth();
  }

  #tellHealth(): void {
    const health = this.health();
    for (const handler of this.#healthHandlers) this.#tell(handler, health);
  }

  #hear(contact: Contact): void {
    const now = this.#deps.clock.now();
    this.#contact = contact;
    this.#lastContactAt = now;
    if (contact.event) this.#lastEventAt = now;
    if (!contact.synced || this.#isSynced) return;
    this.#isSynced = true;
    for (const waiter of this.#waiters.splice(0)) waiter.resolve();
  }
}

function stoppedError(scope: InformerScope): AppError {
  return new AppError('unavailable', `the store of ${scope.kind} was closed`);
}

const ownersOf = (object: KubeObject) => object.metadata.ownerReferences?.map((owner) => owner.uid) ?? [];
const namespaceOf = (object: KubeObject) => (object.metadata.namespace ? [object.metadata.namespace] : []);
