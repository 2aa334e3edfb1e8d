import { nameOfAnyKind } from '@/lib/kube/kinds';
import { groupOf } from '@/lib/kube/object';
import { Semaphore } from '@/lib/std/semaphore';
import type { Clock, Log, Random, Registry, Release } from '@/server/platform';
import { Counter, Gauge } from '@/server/platform';
import type { Cluster } from '../cluster';
import type { ListSlot } from '../collection/reflector';
import type { InformerScope, Informers, StoreUse } from '../informer';
import { withCaller } from '../with-caller';
import { SharedStore } from './shared-store';

const UNUSED_MS = 300_000;

export interface InformersDeps {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly metrics?: Registry;
}

interface Shared {
  readonly store: SharedStore;
  uses: number;
  cancelClose: Release;
}

/** Stores by kind and scope: opened once, shared, and closed five minutes after the last use. */
export function createInformers({ cluster, clock, random, log, metrics }: InformersDeps): Informers {
  const open = new Map<string, Shared>();
  const closing = new Set<Promise<void>>();
  const turns = new Map<string, Semaphore>();
  const meters = createMeters(metrics, () => open.values());

  function takeTurn(kind: string): ListSlot {
    const turn = turns.get(kind) ?? new Semaphore(1);
    turns.set(kind, turn);
    return (list) => turn.run(list);
  }

  function start(scope: InformerScope): Shared {
    const store = new SharedStore(scope, {
      cluster: withCaller(cluster, 'informers'),
      clock,
      random,
      log: log.child({ informer: scope.kind, ...(scope.namespace ? { namespace: scope.namespace } : {}) }),
      takeTurn: takeTurn(`${scope.apiVersion}|${scope.kind}`),
      onHandlerError: () => meters.handlerErrors?.inc({ kind: nameOfAnyKind(scope) }),
      onChange: () => meters.changes?.inc({ kind: nameOfAnyKind(scope) }),
    });
    if (DEFINES_KINDS.has(scope.kind)) store.subscribe(() => cluster.discovery.invalidate());
    store.start();
    return { store, uses: 0, cancelClose: () => undefined };
  }

  function close(key: string, shared: Shared): void {
    open.delete(key);
    const ended = shared.store[Symbol.asyncDispose]().finally(() => closing.delete(ended));
    closing.add(ended);
  }

  return {
    open(scope) {
      const key = keyOf(scope);
      const shared = open.get(key) ?? start(scope);
      open.set(key, shared);
      shared.uses++;
      shared.cancelClose();
      return createUse(shared, () => {
        if (--shared.uses > 0 || open.get(key) !== shared) return;
        shared.cancelClose = clock.schedule(UNUSED_MS, () => close(key, shared));
      });
    },
    all: () => [...open.values()].map((shared) => shared.store),
    async relist(type) {
      const isOf = ({ scope }: SharedStore) => scope.kind === type.kind && groupOf(scope.apiVersion) === groupOf(type.apiVersion);
      await Promise.all([...open.values()].map(({ store }) => (isOf(store) ? store.relist() : undefined)));
    },
    async [Symbol.asyncDispose]() {
      for (const [key, shared] of open) {
        shared.cancelClose();
        close(key, shared);
      }
      await Promise.all(closing);
    },
  };
}

const DEFINES_KINDS = new Set(['CustomResourceDefinition', 'APIService']);

function keyOf({ apiVersion, kind, namespace = '', labelSelector = '', metadataOnly }: InformerScope): string {
  return JSON.stringify([apiVersion, kind, namespace, labelSelector, metadataOnly ?? false]);
}

function createUse({ store }: Shared, onRelease: () => void): StoreUse {
  let released = false;
  const release = () => {
    if (released) return;
    released = true;
    onRelease();
  };
  return { store, release, [Symbol.asyncDispose]: async () => release() };
}

const OBJECTS = 'slipway_informer_objects';
const CHANGES = 'slipway_informer_changes_total';
const HANDLER_ERRORS = 'slipway_informer_handler_errors_total';

function createMeters(registry: Registry | undefined, shared: () => Iterable<Shared>) {
  if (registry === undefined) return {};
  const registers = [registry];
  for (const name of [OBJECTS, CHANGES, HANDLER_ERRORS]) registry.removeSingleMetric(name); // a second set of informers takes the names over
  new Gauge({
    name: OBJECTS,
    help: 'Objects held per kind.',
    labelNames: ['kind'],
    registers,
    collect() {
      this.reset();
      for (const { store } of shared()) this.inc({ kind: nameOfAnyKind(store.scope) }, store.health().objects);
    },
  });
  return {
    changes: new Counter({ name: CHANGES, help: 'Changes of watched objects.', labelNames: ['kind'], registers }),
    handlerErrors: new Counter({ name: HANDLER_ERRORS, help: 'Handlers that threw.', labelNames: ['kind'], registers }),
  };
}
