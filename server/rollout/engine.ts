import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject, ObjectKey } from '@/lib/kube/object';
import { toObjectKey } from '@/lib/kube/object';
import { differsInStatusOnly } from '@/lib/kube/status-change';
import { deepEqual } from '@/lib/std/deep-equal';
import type { Engine, EngineDeps } from '@/server/framework';
import { createEngine } from '@/server/framework';
import type { OwnRights, Store, StoreChange } from '@/server/kube';
import { Grants } from '@/server/kube';
import type { Release } from '@/server/platform';
import type { LiveStatus } from '@/server/status';
import { WatchedSets } from '@/server/status';
import { concernsOwner } from './describe/rollout-facts';
import { indexFailedParts, withFailureReports } from './failed-part';
import type { RevisionPod } from './objects';
import { readPod, readRollout, readWorkload } from './objects';
import type { RolloutStores } from './observe';
import { indexStores, podsOf, revisionOfPod, rolloutOfAutoscaler, rolloutOfDecision, rolloutsOfRevision } from './observe';
import { countedWorkload, livePodsOf } from './pass/pod-figures';
import { createRolloutReconciler } from './reconciler';
import { scaledBy } from './scalers';
import { createSpaReconciler } from './spa-reconciler';
import { createDecisionReconciler } from './stage-decisions/decision-reconciler';
import { LostStates } from './status-change';

/** So many writes as a server answers at once. */
const WORKERS = 16;
/** Pods come and go several at a time, within some milliseconds. */
const PODS_MS = 10;
/** Figures that only readers look at, and that are written once they stand still. */
const MIRROR_MS = 3000;
const RESYNC_MS = 10 * 3_600_000;

export interface RolloutEngineOptions {
  /** The computed status by which workloads are judged. */
  readonly status: Pick<LiveStatus, 'of' | 'subscribe'>;
  /** Why nobody carries out rollbacks, which are changes of an application; null while somebody does. */
  readonly noRollbackReason: () => string | null;
  /** What the server itself may do; everything when absent, as on a cluster of its own. */
  readonly ownRights?: OwnRights;
}

/** The engine that takes revisions in and out in stages: rollouts, their StagePodAutoscalers, and decisions about them. */
export function createRolloutEngine(deps: EngineDeps, { status, noRollbackReason, ownRights }: RolloutEngineOptions): Engine {
  const grants = new Grants(ownRights, 'rollout');
  const watched = new WatchedSets(status, (key, told, before) => {
    // Whatever else its status says is in the workload, whose changes are heard.
    if (before !== undefined && (told.status === 'Failed' || before.status === 'Failed')) engine.controllers[0]?.enqueue(key);
  });
  const releases: Release[] = [];
  const engine = createEngine(deps, {
    name: 'rollout',
    stores: {
      rollouts: KINDS.rolloutOrchestrator,
      autoscalers: KINDS.stagePodAutoscaler,
      deployments: KINDS.deployment,
      horizontalAutoscalers: KINDS.horizontalPodAutoscaler,
      pods: KINDS.pod,
      decisions: KINDS.stageDecision,
    },
    byNamespace: { homes: ['rollouts'], stores: ['deployments', 'horizontalAutoscalers', 'pods'] },
    controllers: (stores: RolloutStores) => {
      indexStores(stores);
      indexFailedParts(stores.rollouts);
      const lost = new LostStates(stores.rollouts);
      releases.push(lost.release, ...wakeBlind(stores, (key) => engine.controllers[0]?.enqueue(key)));
      return [
        {
          name: 'rollout',
          workers: WORKERS,
          resyncMs: RESYNC_MS,
          reconcile: createRolloutReconciler({ ...deps, status, watched, grants, lost }, stores),
          sources: [
            { store: stores.rollouts, isAsked: ({ before, after }) => concernsOwner(before, after) },
            // Its figures are a mirror, of which the runner makes no use.
            {
              store: stores.autoscalers,
              keysOf: ({ before, after }) =>
                differsInStatusOnly(before, after) ? [] : [before, after].flatMap((object) => (object ? rolloutOfAutoscaler(object) : [])),
            },
            { store: stores.deployments, keysOf: (change) => (concernsPass(stores, change) ? rolloutsOfRevision(stores, change.key) : []) },
            {
              store: stores.horizontalAutoscalers,
              keysOf: ({ before, after }) => scaled(before, after).flatMap((key) => rolloutsOfRevision(stores, key)),
            },
            { store: stores.pods, keysOf: (change) => rolloutsOfPod(stores, change), gatherMs: PODS_MS },
            {
              store: stores.decisions,
              keysOf: ({ after }) => (after ? rolloutOfDecision(after) : []),
              isAsked: ({ before }) => before === undefined,
            },
          ],
        },
        {
          name: 'rollout-autoscalers',
          workers: WORKERS,
          shardKey: (key) => rolloutOr(key, stores.autoscalers, rolloutOfAutoscaler),
          reconcile: withFailureReports(
            deps,
            { kind: KINDS.stagePodAutoscaler.kind, objects: stores.autoscalers, rollouts: stores.rollouts, rolloutOf: rolloutOfAutoscaler },
            createSpaReconciler(deps, stores),
          ),
          sources: [
            { store: stores.autoscalers, gatherMs: MIRROR_MS },
            { store: stores.deployments, gatherMs: MIRROR_MS },
            { store: stores.horizontalAutoscalers, keysOf: ({ before, after }) => scaled(before, after), gatherMs: MIRROR_MS },
            { store: stores.pods, keysOf: (change) => podRevisions(stores, change), gatherMs: MIRROR_MS },
          ],
        },
        {
          name: 'rollout-decisions',
          workers: 1,
          shardKey: (key) => rolloutOr(key, stores.decisions, rolloutOfDecision),
          reconcile: withFailureReports(
            deps,
            { kind: KINDS.stageDecision.kind, objects: stores.decisions, rollouts: stores.rollouts, rolloutOf: rolloutOfDecision },
            createDecisionReconciler({ ...deps, noRollbackReason }, stores),
          ),
          sources: [{ store: stores.decisions }],
        },
      ];
    },
  });
  return {
    ...engine,
    findings: () => grants.findings(),
    [Symbol.asyncDispose]: async () => {
      for (const release of releases) release();
      await engine[Symbol.asyncDispose]();
      watched.release();
    },
  };
}

/** Has every rollout looked at once what it is judged by can be seen, or no more. */
function wakeBlind(
  { rollouts, deployments, pods, horizontalAutoscalers, autoscalers, decisions }: RolloutStores,
  wake: (key: ObjectKey) => void,
): readonly Release[] {
  const wakeAll = () => {
    for (const { metadata } of rollouts.list()) wake(toObjectKey(metadata));
  };
  return [deployments, pods, horizontalAutoscalers, autoscalers, decisions].map((store) => store.onHealth(wakeAll));
}

/** What belongs to a rollout is acted on where the rollout is, and that has the name of its application. */
function rolloutOr(key: ObjectKey, store: Store, rolloutOf: (object: KubeObject) => readonly ObjectKey[]): ObjectKey {
  const object = store.get(key);
  return (object && rolloutOf(object)[0]) ?? key;
}

/** True for a change of a workload by which a pass may come to something else: most of its status writes move counts that its pods told before, or that none goes by. */
function concernsPass(stores: RolloutStores, { key, before, after }: StoreChange): boolean {
  if (before === undefined || after === undefined || !differsInStatusOnly(before, after)) return true;
  const pods = podsOf(stores, key);
  const [was, is] = [before, after].map((object) => {
    const workload = readWorkload(object);
    return { ...countedWorkload(workload, pods), object: undefined, livePods: livePodsOf(workload, pods) };
  });
  return !deepEqual(was, is);
}

/** Revisions that look at a pod, where anything of it differs that they look at. */
function podRevisions(stores: RolloutStores, { before, after }: StoreChange): readonly ObjectKey[] {
  const [was, is] = [before, after].map((pod) => pod && { ...readPod(pod), revisions: revisionOfPod(stores, pod) });
  return deepEqual(was, is) ? [] : [was, is].flatMap((pod) => pod?.revisions ?? []);
}

/** Rollouts that go by a change of a pod: any but that it came and starts, unless pods must have been ready for a while. */
function rolloutsOfPod(stores: RolloutStores, change: StoreChange): readonly ObjectKey[] {
  const rollouts = podRevisions(stores, change).flatMap((key) => rolloutsOfRevision(stores, key));
  const [was = STARTING, is] = [change.before, change.after].map((pod) => pod && evaluatedFieldsOf(readPod(pod)));
  return deepEqual(was, is) ? rollouts.filter((key) => countsReadyTime(stores, key)) : rollouts;
}

const STARTING = { isReady: false, isOver: false };

/** What steps wait for of a pod: one that is going, is ready, or came to its end. Samples of health look by their own clock. */
function evaluatedFieldsOf({ revision, phase, deletionAt, gracePeriodSeconds, readySince }: RevisionPod): object {
  if (deletionAt !== undefined) return { revision, phase, deletionAt, gracePeriodSeconds };
  return { isReady: readySince !== undefined, isOver: phase === 'Succeeded' || phase === 'Failed' };
}

function countsReadyTime({ rollouts }: RolloutStores, key: ObjectKey): boolean {
  const rollout = rollouts.get(key);
  return rollout !== undefined && readRollout(rollout).policy.minReadySeconds > 0;
}

function scaled(...autoscalers: readonly (KubeObject | undefined)[]): readonly ObjectKey[] {
  return autoscalers.flatMap((autoscaler) => (autoscaler ? scaledBy(autoscaler) : []));
}
