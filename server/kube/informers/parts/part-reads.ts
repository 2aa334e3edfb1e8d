import type { ObjectKey } from '@/lib/kube/object';
import { parseObjectKey } from '@/lib/kube/object';
import type { Instant } from '@/lib/std/instant';
import type { Clock } from '@/server/platform';
import type { ReflectorDeps } from '../../collection/reflector';
import type {
  Coverage,
  InformerHealth,
  InformerScope,
  InformerState,
  Knowledge,
  NamespaceSource,
  PollAnswer,
  PolledPart,
} from '../../informer';
import { toFrozenCopy } from '../frozen-copy';
import type { ObjectStore } from '../object-store';
import { coverageOf, NamespaceDemand } from './coverage';
import { PartWatches } from './part-watches';
import { knowledgeOf, PolledParts } from './polled-parts';

interface PartReadsDeps {
  readonly scope: InformerScope;
  readonly objects: ObjectStore;
  readonly clock: Clock;
  /** What the reflector of the whole is doing. */
  readonly state: () => InformerState;
  /** Keeps one namespace equal to the server's until the signal aborts. */
  readonly reflect: (part: Pick<ReflectorDeps, 'scope' | 'objects' | 'onState' | 'onContact'>, signal: AbortSignal) => Promise<void>;
  readonly onHealth: () => void;
  /** The server was heard of. */
  readonly onContact: (at: Instant) => void;
}

/** What is read of a kind while it may not be read as a whole: namespaces that are watched by themselves, and parts that are polled. */
export class PartReads {
  readonly #deps: PartReadsDeps;
  readonly #polled = new PolledParts();
  readonly #needs = new NamespaceDemand();
  readonly #watches: PartWatches;
  /** Namespaces that polls found objects of interest in. */
  #looked: readonly string[] = [];
  #polledEveryMs: number | undefined;

  constructor(deps: PartReadsDeps) {
    this.#deps = deps;
    this.#watches = new PartWatches((namespace, signal, onState) => this.#watch(namespace, signal, onState), {
      change: (namespace, isWatching) => this.#told(namespace, isWatching),
      refusal: deps.onHealth,
    });
  }

  watch(namespaces: readonly string[]): readonly string[] {
    this.#looked = namespaces;
    this.#choose();
    return this.#watches.watching();
  }

  needIn(places: NamespaceSource): () => void {
    const forget = this.#needs.add(places);
    const unsubscribe = places.subscribe(() => this.#choose());
    this.#choose();
    return () => {
      unsubscribe();
      forget();
      this.#choose();
    };
  }

  needed(): readonly string[] | undefined {
    return this.#needs.namespaces();
  }

  /** What is known of a namespace of which the whole is not held. */
  covers(namespace: string | undefined): Coverage {
    if (namespace === undefined || !this.#needs.isAsked) return { kind: 'later' };
    return coverageOf(namespace, { parts: this.#watches, polled: this.#polled, needs: this.#needs });
  }

  /** The reflector of the whole does something else now. While it reads, nothing older may be put over what it reads. */
  follow(state: InformerState): void {
    this.#choose();
    if (state.kind === 'refused' || state.kind === 'listing') return;
    this.#polled.clear();
    this.#polledEveryMs = undefined;
  }

  keepPolled(namespaces: readonly string[]): void {
    this.#polled.keep(namespaces);
  }

  async acceptPoll(part: PolledPart, answer: PollAnswer, everyMs: number): Promise<void> {
    const { clock, objects, onContact, onHealth, state } = this.#deps;
    const isOver = () => state().kind !== 'refused' || this.#isWatched(part.namespace ?? (part.key && parseObjectKey(part.key).namespace));
    if (isOver()) return;
    if ('objects' in answer) {
      for (const _piece of objects.replacePart(part, answer.objects.map(toFrozenCopy))) {
        await clock.sleep(0);
        if (isOver()) return; // the watch is back, and knows better
      }
    }
    const now = clock.now();
    if (!('failed' in answer)) onContact(now);
    this.#polledEveryMs = everyMs;
    if (this.#polled.note(part, answer, now)) onHealth();
  }

  health(): Pick<InformerHealth, 'polledEveryMs' | 'oldestPollAt' | 'watchedIn'> {
    const watchedIn = this.#watches.watching();
    return {
      polledEveryMs: this.#polledEveryMs,
      oldestPollAt: this.#polled.oldest() ?? (watchedIn.length > 0 ? this.#deps.clock.now() : undefined),
      watchedIn: watchedIn.length > 0 ? watchedIn : undefined,
    };
  }

  knowledge(key: ObjectKey, health: InformerHealth): Knowledge {
    if (this.#isWatched(parseObjectKey(key).namespace)) return { kind: 'watched' };
    return knowledgeOf(this.#deps.scope.kind, health, this.#polled.of(key));
  }

  /** Resolves once nothing of it runs any more. */
  async ended(): Promise<void> {
    await this.#watches.ended();
  }

  /** Namespaces are watched one by one while the kind may not be listed as a whole. */
  #choose(): void {
    const state = this.#deps.state();
    const isByPart = state.kind === 'refused' && state.verb === 'list' && this.#deps.scope.namespace === undefined;
    this.#watches.set(isByPart ? [...new Set([...this.#looked, ...(this.needed() ?? [])])] : []);
  }

  #watch(namespace: string, signal: AbortSignal, onState: (state: InformerState) => void): Promise<void> {
    const { scope, objects, clock, reflect, onContact } = this.#deps;
    const part: ReflectorDeps['objects'] = {
      put: (object) => objects.put(object),
      remove: (object) => objects.remove(object),
      replace: (items, versions) => objects.replacePart({ namespace }, items, versions),
    };
    // Its versions are those of one namespace; that it was heard of counts, or a write whose object came and went would be waited for without end.
    return reflect({ scope: { ...scope, namespace }, objects: part, onState, onContact: () => onContact(clock.now()) }, signal);
  }

  #told(namespace: string, isWatching: boolean): void {
    if (isWatching) this.#polled.forget(namespace);
    else this.#polled.note({ namespace }, { objects: [] }, this.#deps.clock.now()); // so far it was as the server had it
    this.#deps.onHealth();
  }

  /** True for a namespace that is watched by itself. */
  #isWatched(namespace: string | undefined): boolean {
    return namespace !== undefined && this.#deps.state().kind === 'refused' && this.#watches.has(namespace);
  }
}
