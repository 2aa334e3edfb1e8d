import type { Finding } from '@/lib/contract/finding';
import { KINDS } from '@/lib/kube/kinds';
import type { TypeRef } from '@/lib/kube/object';
import { groupOf } from '@/lib/kube/object';
import { formatDuration } from '@/lib/std/duration';
import type { Cluster, Informers, Store } from '@/server/kube';
import { toApiVersion, toKindRef } from '@/server/kube';
import type { Clock, Log, Release } from '@/server/platform';
import type { ApiReader } from '../cluster/api-reader';
import { clusterApiReader } from '../cluster/api-reader';
import type { KindMapper } from '../cluster/kind-mapper';
import { discoveryMapper } from '../cluster/kind-mapper';
import type { LiveStatus } from '../live/live-status';
import type { PollPlan, PollRound } from './polled-copy';
import { PolledCopy } from './polled-copy';
import { PollerEngine } from './poller-engine';

/** How often it is looked whether a kind is refused, or no more. */
const LOOK_MS = 500;

export interface PolledKindsConfig {
  readonly informers: Informers;
  readonly cluster: Pick<Cluster, 'get' | 'list' | 'discovery'>;
  /** Tells which objects are watched, and so which groups are wanted. */
  readonly status: Pick<LiveStatus, 'watchedOf'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly pollIntervalMs: number;
}

/** Kinds of ours are wanted whole, wherever their objects are; of any other what applications consist of. */
const WHOLE: ReadonlySet<string> = new Set(
  [KINDS.application, KINDS.rolloutOrchestrator, KINDS.stageDecision].map(({ apiVersion }) => groupOf(apiVersion)),
);

/** A kind that is polled, for the page about the engine. */
export interface PolledKind extends TypeRef {
  readonly verb: 'list' | 'watch';
  readonly reason: string;
  /** No right is missing: with every right it would be polled as well. */
  readonly isUnwatchable: boolean;
  readonly everyMs: number;
  readonly round: PollRound | undefined;
}

interface Running {
  readonly store: Store;
  readonly copy: PolledCopy;
  readonly stopping: AbortController;
  readonly ended: Promise<void>;
}

/** Polls every kind that may not be watched, for as long as that is so. */
export class PolledKinds implements AsyncDisposable {
  readonly #config: PolledKindsConfig;
  readonly #api: ApiReader;
  readonly #mapper: KindMapper;
  readonly #running = new Map<Store, Running>();
  #next: Release | undefined;

  constructor(config: PolledKindsConfig) {
    this.#config = config;
    this.#api = clusterApiReader(config.cluster);
    this.#mapper = discoveryMapper(config.cluster.discovery);
  }

  start(): void {
    const look = () => {
      this.#look();
      this.#next = this.#config.clock.schedule(LOOK_MS, look);
    };
    look();
  }

  /** What is polled now. */
  all(): readonly PolledKind[] {
    return [...this.#running.values()].flatMap(({ store, copy }) => {
      const { state } = store.health();
      if (state.kind !== 'refused' || copy.isWatched) return [];
      const { apiVersion, kind } = store.scope;
      const { verb, reason, isUnwatchable = false } = state;
      return [{ apiVersion, kind, verb, reason, isUnwatchable, everyMs: this.#config.pollIntervalMs, round: copy.round }];
    });
  }

  /** The kinds that are polled though no right is missing. Missing rights are findings of their own, each with the command that grants it. */
  findings(): readonly Finding[] {
    return this.all()
      .filter(({ isUnwatchable }) => isUnwatchable)
      .map((one) => ({
        area: 'watches',
        subject: `${one.kind} (${one.apiVersion})`,
        sentence: describePolled([one]).join(),
        remedy: null,
      }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#next?.();
    const running = [...this.#running.values()];
    for (const { stopping } of running) stopping.abort();
    await Promise.all(running.map(({ ended }) => ended));
  }

  #look(): void {
    const refused = new Set(
      this.#config.informers.all().filter((store) => !store.scope.metadataOnly && store.health().state.kind === 'refused'),
    );
    for (const [store, { stopping }] of this.#running) {
      // A store that lists may be about to watch; until it does the polls go on.
      if (refused.has(store) || store.health().state.kind === 'listing') continue;
      stopping.abort();
      this.#running.delete(store);
    }
    for (const store of refused) if (!this.#running.has(store)) this.#running.set(store, this.#poll(store));
  }

  #poll(store: Store): Running {
    const { cluster, clock, log, pollIntervalMs } = this.#config;
    const [api, mapper] = [this.#api, this.#mapper];
    const stopping = new AbortController();
    const findType = async (signal: AbortSignal): Promise<TypeRef> => {
      const { kind } = store.scope;
      return { apiVersion: toApiVersion(await cluster.discovery.resolveKind(toKindRef(store.scope), signal)), kind };
    };
    const copy = new PolledCopy({ api, clock, store, findType, everyMs: pollIntervalMs, plan: () => this.#plan(store) });
    // The one status engine computes from the copies; what this one is asked to tell by itself is nothing.
    const engine = new PollerEngine({ api, mapper, clock, clusterReaderFactory: async () => copy });
    const run = async () => {
      while (!stopping.signal.aborted) {
        for await (const event of engine.poll([], { signal: stopping.signal, pollIntervalMs })) {
          if (event.type === 'Error') log.warn({ kind: store.scope.kind, error: event.error.text }, 'polling a kind ended, restarting');
        }
        await clock.sleep(pollIntervalMs, stopping.signal).catch(() => undefined); // an abort ends the loop by itself
      }
    };
    return { store, copy, stopping, ended: run() };
  }

  #plan(store: Store): PollPlan {
    const { scope } = store;
    const { apiVersion, kind, namespace } = scope;
    if (namespace !== undefined) return { namespaces: [namespace], objects: [] };
    const group = groupOf(apiVersion);
    const watched = [...this.#config.status.watchedOf({ group, kind })];
    const own = watched.filter((one) => one.kind === kind && one.group === group);
    const needed = store.needed();
    if (WHOLE.has(group) || (watched.length === 0 && needed === undefined)) return { namespaces: [''], objects: own };
    // What a selector leaves out of a copy is not read for it, object by object either.
    const isWhole = scope.labelSelector === undefined;
    const namespaces = new Set([...(isWhole ? watched.map((one) => one.namespace) : []), ...(needed ?? [])]);
    return { namespaces: [...namespaces], objects: isWhole ? own : [] };
  }
}

/** A sentence for each kind that is polled: what the server refuses, what is done instead, and what of that does not work either. */
export function describePolled(polled: readonly PolledKind[]): readonly string[] {
  return polled.map(({ kind, verb, reason, everyMs, round }) => {
    const failed = round?.lastError === undefined || round.lastError === reason ? '' : `; not everything could be read: ${round.lastError}`;
    return `${kind} objects cannot be ${verb === 'list' ? 'listed' : 'watched'}, they are polled every ${formatDuration(everyMs)}: ${reason}${failed}`;
  });
}
