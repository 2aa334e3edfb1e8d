import type { ReleaseKindName } from '@/lib/contract/release-kind';
import { RELEASE_KIND_NAMES, RELEASE_TYPES, releaseKindOf } from '@/lib/contract/release-kind';
import { KINDS } from '@/lib/kube/kinds';
import type { ObjectKey } from '@/lib/kube/object';
import { toObjectKey } from '@/lib/kube/object';
import type { ControllerSpec, Engine, EngineDeps } from '@/server/framework';
import { createEngine } from '@/server/framework';
import type { OwnRights, Store, StoreChange } from '@/server/kube';
import type { DecisionQueue } from './decisions/queues';
import { queueOf } from './decisions/queues';
import { dependants } from './depends-on/dependants';
import { isGatePolicyMoved } from './gate/gate-policy';
import { isReconcileTrigger } from './is-reconcile-trigger';
import type { ChartSyncOptions } from './options';
import { UNCONFIGURED } from './session/session';
import { STOP_MS, WatchedReleases } from './watched-releases';

/** What hangs must not keep other releases from being looked at; how many Helms run at once is a setting. */
const WORKERS = 8;

/** The engine that keeps Helm releases equal to charts in git. The server may do everything where nobody says what it may. */
export function createChartSyncEngine(deps: EngineDeps, options: ChartSyncOptions | undefined, ownRights?: OwnRights): Engine {
  // One process does all of it, whatever the shards: there is one working copy (issue 12, 1).
  const { shardOf: _shards, clusterFor: _clusters, ...rest } = deps;
  const own: EngineDeps = { ...rest, mayAct: () => deps.mayAct() };
  let releases: WatchedReleases;
  const engine = createEngine(own, {
    name: 'chartsync',
    stores: { ...RELEASE_TYPES, decisions: KINDS.releaseDecision, namespaces: KINDS.namespace },
    controllers: (stores: Readonly<Record<ReleaseKindName | 'decisions' | 'namespaces', Store>>) => {
      const { fluxhelmrelease: base, decisions, namespaces } = stores;
      const kinds = RELEASE_KIND_NAMES.map((kind) => ({ kind, store: stores[kind] }));
      releases = new WatchedReleases(own, options, {
        base,
        extended: kinds.flatMap(({ store }) => (store === base ? [] : [store])),
        decisions,
        namespaces,
        ownRights,
        enqueue: ({ at, key }) => engine.controllers[kinds.findIndex(({ kind }) => kind === releaseKindOf(at))]?.enqueue(key),
      });
      return [
        ...kinds.map(({ kind, store }) => lookingAt(`chartsync-${kind}`, { store, namespaces, releases })),
        // One after the other, so that each approval counts those before it.
        answering('plain', { decisions, releases, workers: 1 }),
        answering('lasting', { decisions, releases, workers: WORKERS }),
        answering('stop', { decisions, releases, workers: 1 }),
      ];
    },
  });
  return {
    ...engine,
    off: () => (releases.isIdle() ? UNCONFIGURED : null),
    findings: () => releases.findings(),
    start: async () => {
      await engine.start();
      releases.start();
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all([releases.stop(), engine[Symbol.asyncDispose]()]);
    },
  };
}

interface LookingAt {
  readonly store: Store;
  readonly namespaces: Store;
  readonly releases: WatchedReleases;
}

function lookingAt(name: string, { store, namespaces, releases }: LookingAt): ControllerSpec {
  return {
    name,
    workers: WORKERS,
    drainMs: STOP_MS,
    reconcile: (key) => releases.reconcile(store.get(key)),
    sources: [
      {
        store,
        keysOf: (change) => [...(isReconcileTrigger(change.before, change.after) ? [change.key] : []), ...dependants(store, change)],
      },
      { store: namespaces, keysOf: (change) => keysWithin(change, store) },
    ],
  };
}

/** The resources of a namespace that demands other approvals than before. */
function keysWithin({ before, after }: Pick<StoreChange, 'before' | 'after'>, store: Store): readonly ObjectKey[] {
  if (before === undefined || after === undefined || !isGatePolicyMoved(before, after)) return [];
  const within = store.list().filter(({ metadata }) => metadata.namespace === after.metadata.name);
  return within.map(({ metadata }) => toObjectKey(metadata));
}

interface Answering {
  readonly decisions: Store;
  readonly releases: WatchedReleases;
  readonly workers: number;
}

const NAMES = {
  plain: 'chartsync-releasedecision',
  lasting: 'chartsync-releasedecision-lasting',
  stop: 'chartsync-releasedecision-stop',
} satisfies Readonly<Record<DecisionQueue, string>>;

function answering(queue: DecisionQueue, { decisions, releases, workers }: Answering): ControllerSpec {
  return {
    name: NAMES[queue],
    workers,
    drainMs: STOP_MS,
    sources: [{ store: decisions, keysOf: ({ key, after }) => (after !== undefined && queueOf(after) === queue ? [key] : []) }],
    reconcile: (key) => releases.decide(key, decisions.get(key)),
  };
}
