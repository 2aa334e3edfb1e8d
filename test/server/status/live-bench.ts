import { readString } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import type { InformerScope, Informers, StoreUse } from '@/server/kube';
import type { Log } from '@/server/platform';
import type { ComputeOptions } from '@/server/status';
import { LiveStatus } from '@/server/status';
import type { KindMapper } from '@/server/status/cluster/kind-mapper';
import { NoKindMatchError } from '@/server/status/cluster/kind-mapper';
import type { GroupKind, ObjMetadata } from '@/server/status/identifier';
import type { WatchedObject } from '@/server/status/live/roots';
import type { ReaderOptions } from '@/server/status/readers/default-readers';
import type { StatusEvent } from '@/server/status/resource-status';
import { ManualClock } from '@/test/support/manual-clock';
import { silentLog } from '../../support/silent-log';
import { FakeStore } from '../framework/fake-store';

/** Stores that the test fills, by kind. */
class HandInformers implements Informers {
  readonly stores = new Map<string, FakeStore>();
  open_ = 0;

  store(kind: string): FakeStore {
    const store = this.stores.get(kind) ?? new FakeStore();
    this.stores.set(kind, store);
    return store;
  }

  readonly scopes: string[] = [];

  open(scope: InformerScope): StoreUse {
    this.open_++;
    this.scopes.push(`${scope.apiVersion} ${scope.kind}`);
    const release = () => void this.open_--;
    return { store: this.store(scope.kind), release, [Symbol.asyncDispose]: async () => release() };
  }

  async relist(): Promise<void> {}

  all() {
    return [...this.stores.values()];
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}

class HandMapper implements KindMapper {
  readonly known = new Set(['Deployment', 'ReplicaSet', 'Pod', 'ConfigMap']);
  failure: Error | undefined;
  version = 'v1';

  async map(of: GroupKind) {
    if (this.failure !== undefined) throw this.failure;
    if (!this.known.has(of.kind)) throw new NoKindMatchError(of);
    return { version: this.version, plural: `${of.kind.toLowerCase()}s`, namespaced: true };
  }

  reset(): void {}
}

/** A watch on these objects in a cluster that the test fills. */
export async function startBench(identifiers: readonly ObjMetadata[], failure?: Error) {
  const clock = new ManualClock();
  const informers = new HandInformers();
  const mapper = new HandMapper();
  mapper.failure = failure;
  const stopping = new AbortController();
  const events: StatusEvent[] = [];
  const watcher = new LiveStatus({ log: silentLog, informers, mapper, clock });
  const consume = async (watched: readonly ObjMetadata[]) => {
    for await (const event of watcher.watch(watched, { signal: stopping.signal })) events.push(event);
  };
  const consuming = [consume(identifiers)];
  const bench = {
    clock,
    informers,
    mapper,
    events,
    recompute: (options: ComputeOptions) => watcher.recompute(options),
    put: (object: KubeObject) => informers.store(object.kind).put(object),
    /** Watches these too, of which there may be some already. */
    alsoWatch: (watched: readonly ObjMetadata[]) => void consuming.push(consume(watched)),
    /** Statuses told since the last call, `Sync` in their midst. */
    async told(ms = 100): Promise<readonly string[]> {
      await clock.advance(ms);
      return events
        .splice(0)
        .map((event) =>
          event.type === 'Update' ? `${event.resource.identifier.name} ${event.resource.status}: ${event.resource.message}` : event.type,
        );
    },
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await Promise.all(consuming);
    },
  };
  await clock.settle();
  return bench;
}

/** A second watch on the stores of a first, telling errors in place of messages. */
export async function startOn(informers: HandInformers, identifiers: readonly ObjMetadata[], clock: ManualClock) {
  const stopping = new AbortController();
  const told: string[] = [];
  const watcher = new LiveStatus({ log: silentLog, informers, mapper: new HandMapper(), clock });
  const consuming = (async () => {
    for await (const event of watcher.watch(identifiers, { signal: stopping.signal })) {
      if (event.type === 'Update')
        told.push(`${event.resource.identifier.name} ${event.resource.status}: ${event.resource.error?.text ?? ''}`);
    }
  })();
  await clock.settle();
  return {
    async told(): Promise<readonly string[]> {
      await clock.advance(100);
      return told.splice(0);
    },
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await consuming;
    },
  };
}

/** A live status that counts how often it computes a ConfigMap. */
export function startCounting() {
  let count = 0;
  const clock = new ManualClock();
  const informers = new HandInformers();
  const rule = () => {
    count++;
    return undefined;
  };
  const live = new LiveStatus({
    log: silentLog,
    informers,
    mapper: new HandMapper(),
    clock,
    options: { rules: new Map([['ConfigMap', rule]]) },
  });
  return { live, informers, clock, computed: () => count };
}

/** A live status on stores that the test fills, by rules of the test; `logged` is what it told of in the log. */
export function startLive(options: ReaderOptions = {}) {
  const clock = new ManualClock();
  const informers = new HandInformers();
  const mapper = new HandMapper();
  const logged: string[] = [];
  const log: Log = { ...silentLog, error: (fields: object) => void logged.push(readString(fields, 'object') ?? '') };
  const live = new LiveStatus({ log, informers, mapper, clock, options });
  const told: string[] = [];
  return {
    live,
    informers,
    mapper,
    clock,
    logged,
    put: (object: KubeObject) => informers.store(object.kind).put(object),
    /** A subscription to these, told of by `told`. */
    watch(...objects: readonly WatchedObject[]) {
      const subscription = live.subscribe(({ identifier, status, message, error }) => {
        told.push(`${identifier.name} ${status}: ${error?.text ?? message}`);
      });
      subscription.set(objects);
      return subscription;
    },
    /** What was told since the last call, after so many milliseconds. */
    async told(ms = 100): Promise<readonly string[]> {
      await clock.advance(ms);
      return told.splice(0);
    },
  };
}
