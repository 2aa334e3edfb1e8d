import { readString } from '@/lib/kube/fields';
import { SECRET, VALUES_OF } from '@/lib/kube/kinds';
import type { KubeObject, ObjectKey } from '@/lib/kube/object';
import { toObjectKey } from '@/lib/kube/object';
import { differsInStatusOnly } from '@/lib/kube/status-change';
import { LABEL } from '@/server/dispatch';
import type { Engine, EngineDeps } from '@/server/framework';
import { createEngine, PROGRESSING_PACE, StatusWriteThrottle } from '@/server/framework';
import type { OwnRights, StoreChange } from '@/server/kube';
import { createAccessReviewer, createOwnUser, EventRecorder, Grants } from '@/server/kube';
import { concernsOwner } from '@/server/rollout';
import type { LiveStatus, ResourceStatus } from '@/server/status';
import { differsInItself, WatchedSets } from '@/server/status';
import { differsInScaleOnly } from './observe/differs-in-scale-only';
import { ObjectStores } from './observe/object-stores';
import { addIndexes, applicationsOf, WATCHED } from './observe/observe';
import type { PermittedKinds } from './permission/missing-right';
import { createApplicationReconciler } from './reconciler';
import { RepairLog } from './repair-log';
import { RevertThrottle } from './revert-throttle';
import { valuesController } from './values/controller';
import type { ValuesKey } from './values/values-key';
import { temporaryValuesKey } from './values/values-key';

/** So many writes as a server answers at once. */
const WORKERS = 16;
const COUNTS_MS = 5000;
const RESYNC_MS = 10 * 60_000;

export interface ApplicationEngineOptions {
  /** The computed status by which components are judged. */
  readonly status: Pick<LiveStatus, 'evaluate' | 'subscribe'>;
  /** What an application may hold that nobody is known to have asked for; everything when absent, as where nothing notes who asks. */
  readonly unattributed?: PermittedKinds;
  /** What the server itself may do; everything when absent, as on a cluster of its own. */
  readonly ownRights?: OwnRights;
  /** Names the Secrets for values that stand inline; a key of the process when absent. */
  readonly valuesKey?: ValuesKey;
}

/** The engine that renders applications, dispatches their revisions, and starts and closes their rollouts. */
export function createApplicationEngine(
  deps: EngineDeps,
  { status, unattributed = 'all', ownRights, valuesKey = temporaryValuesKey }: ApplicationEngineOptions,
): Engine {
  const objects = new ObjectStores({
    ...deps,
    onChange: (keys) => {
      for (const key of keys) engine.controllers[0]?.enqueue(key);
    },
  });
  const moving = new Set<ObjectKey>();
  const watched = new WatchedSets(status, (key, told, before) => {
    if (before === undefined || !differsInItself(told, before)) return;
    // How far something is that is on its way is written with other counts, and so is that it is there for a while, where more is to come.
    const isOnItsWay = ({ status: is }: ResourceStatus) => is === 'InProgress' || (is === 'Current' && moving.has(key));
    engine.controllers[0]?.enqueue(key, { afterMs: isOnItsWay(told) && isOnItsWay(before) ? COUNTS_MS : 0 });
  });
  // The digest only marks a Secret as ours and is compared by nobody, so a key of this process is enough.
  const secretKey = deps.ids.secret();
  const permission = { review: createAccessReviewer(deps.cluster, deps.clock), ownUser: createOwnUser(deps.cluster), unattributed };
  const grants = new Grants(ownRights, 'application');
  const engine = createEngine(deps, {
    name: 'application',
    stores: {
      ...WATCHED,
      values: { ...SECRET, labelSelector: VALUES_OF },
    },
    byNamespace: { homes: ['applications', 'revisions'], stores: ['deployments', 'values'] },
    controllers: (stores) => {
      addIndexes(stores);
      return [
        {
          name: 'application',
          reconcile: createApplicationReconciler({
            deps,
            stores,
            objects,
            secretKey,
            valueSecrets: stores.values,
            valuesKey,
            status,
            watched,
            moving,
            permission,
            grants,
            events: new EventRecorder('slipway-application', deps.clock),
            recorded: new Set(),
            statusThrottle: new StatusWriteThrottle(PROGRESSING_PACE),
            repairs: new RepairLog(),
            revertPace: new RevertThrottle(),
          }),
          sources: [
            { store: stores.applications, isAsked: isOfSpec },
            { store: stores.revisions, keysOf: keysBy(applicationOfRevision) },
            { store: stores.trackers, keysOf: keysBy(applicationsOf) },
            { store: stores.rollouts, keysOf: (change) => (concernsOwner(change.before, change.after) ? [change.key] : []) },
            { store: stores.decisions, keysOf: keysBy(applicationsOfDecision), isAsked: isOfSpec },
            {
              store: stores.deployments,
              keysOf: (change) => (isOfSpec(change) && !differsInScaleOnly(change) ? keysBy(applicationsOfWorkload)(change) : []),
            },
          ],
          workers: WORKERS,
          resyncMs: RESYNC_MS,
        },
        valuesController(deps, stores),
      ];
    },
  });
  return {
    ...engine,
    findings: () => grants.findings(),
    [Symbol.asyncDispose]: async () => {
      await engine[Symbol.asyncDispose]();
      watched.release();
      objects[Symbol.dispose]();
    },
  };
}

/** What becomes of a workload is told by its computed status. */
function isOfSpec({ before, after }: StoreChange): boolean {
  return !differsInStatusOnly(before, after);
}

function keysBy(keysOf: (object: KubeObject) => readonly ObjectKey[]) {
  return ({ before, after }: StoreChange) => [before, after].flatMap((object) => (object === undefined ? [] : keysOf(object)));
}

function applicationOfRevision({ metadata: { labels, namespace } }: KubeObject): readonly ObjectKey[] {
  const name = labels?.[LABEL.appName];
  return name === undefined ? [] : [toObjectKey({ namespace, name })];
}

function applicationsOfDecision(decision: KubeObject): readonly ObjectKey[] {
  const { namespace } = decision.metadata;
  const names = [readString(decision, 'spec', 'applicationRef', 'name'), readString(decision, 'spec', 'rolloutRef', 'name')];
  return names.flatMap((name) => (name === undefined ? [] : [toObjectKey({ namespace, name })]));
}

function applicationsOfWorkload(workload: KubeObject): readonly ObjectKey[] {
  const service = workload.metadata.labels?.[LABEL.rolloutService];
  const byService = service === undefined ? [] : [toObjectKey({ namespace: workload.metadata.namespace, name: service })];
  return [...applicationsOf(workload), ...byService];
}
