import { readFields, readNumber } from '@/lib/kube/fields';
import { isEmptySelector, labelsOf, matchesSelector } from '@/lib/kube/label-selector';
import type { KubeObject, ObjectKey } from '@/lib/kube/object';
import type { ControllerHost } from '../../../host';
import { claimObjects, ownedOf } from '../../claim';
import type { EventWriter, Recorder } from '../../events';
import type { RequeueAfterMs } from '../../key-queue';
import { DEPLOYMENT, POD, REPLICA_SET } from '../../kinds';
import type { Loop, ObservedChange } from '../../loop';
import { controllersOf, keyOf, startLoop } from '../../loop';
import type { Orphans } from '../../orphans';
import { followOrphans } from '../../orphans';
import { isFinished, isTerminating } from '../../pod-view';
import { deleteExactly, updateStatus } from '../../writes';
import type { Deployment, Revisions } from './model';
import { allOf, toDeployment, toRevisionSet } from './model';
import type { Scale } from './plan';
import { isScalingEvent, planCleanup, planRolling, planScale } from './plan';
import type { Rollout } from './revisions';
import { ensureCurrent, sizeAnnotations, splitRevisions, syncRevision } from './revisions';
import { conditionsOf, isComplete, pausedCondition, progressCheckMs, putCondition, toRolloutStatus, toStatus } from './status';

interface Deps {
  readonly host: ControllerHost;
  readonly record: Recorder;
  readonly orphans: Orphans;
}

/** Rolls Deployments out by sizing their ReplicaSets. */
export function startDeployments(host: ControllerHost, events: EventWriter): Loop {
  const deps: Deps = { host, record: events.recorder('deployment-controller'), orphans: followOrphans(host, REPLICA_SET) };
  const owners = controllersOf(DEPLOYMENT);
  return startLoop(host, {
    name: 'deployment',
    watches: [
      { type: DEPLOYMENT },
      { type: REPLICA_SET, keysOf: (change) => orMatching(host, change, owners(change)) },
      { type: POD, keysOf: (change) => recreating(host, change) },
    ],
    workers: 4,
    reconcile: async (key) => {
      const object = host.get(DEPLOYMENT, key);
      return object ? reconcile(deps, object) : undefined;
    },
    onStop: deps.orphans.release,
  });
}

async function reconcile(deps: Deps, object: KubeObject): Promise<RequeueAfterMs> {
  const { host } = deps;
  if (isEmptySelector(readFields(object, 'spec', 'selector'))) return refuseEmptySelector(deps, object);
  const selector = readFields(object, 'spec', 'selector');
  const sets = await claimObjects(host, { owner: object, type: REPLICA_SET, selector, orphans: deps.orphans });
  let deployment = toDeployment(object);
  if (!isTerminating(object)) deployment = await notePaused(host, deployment);
  let rollout: Rollout = { deployment, revisions: splitRevisions(deployment, sets) };
  rollout = await syncRevision(host, rollout);
  if (isTerminating(object)) return writeStatus(host, rollout, 'counts');
  if (rollout.deployment.paused || isScalingEvent(rollout.deployment, rollout.revisions)) return resize(deps, rollout);
  return rollout.deployment.strategy === 'Recreate' ? recreate(deps, rollout) : roll(deps, rollout);
}

async function roll(deps: Deps, seen: Rollout): Promise<RequeueAfterMs> {
  const rollout = await ensureCurrent(deps.host, seen, deps.record);
  if (!rollout?.revisions.current) return undefined;
  const { current, old } = rollout.revisions;
  const scales = planRolling(rollout.deployment, { current, old });
  const scaled = await applyScales(deps, rollout, scales);
  if (scales.length === 0) await cleanUp(deps.host, rollout);
  return writeStatus(deps.host, scaled, 'progress');
}

async function recreate(deps: Deps, seen: Rollout): Promise<RequeueAfterMs> {
  const { deployment, revisions } = seen;
  const down = revisions.old.filter((set) => set.replicas > 0).map((set) => ({ set, to: 0 }));
  if (down.length > 0) return writeStatus(deps.host, await applyScales(deps, seen, down), 'progress');
  if (hasOldPods(deps.host, revisions)) return writeStatus(deps.host, seen, 'progress');
  const rollout = await ensureCurrent(deps.host, seen, deps.record);
  if (!rollout?.revisions.current) return undefined;
  const { current } = rollout.revisions;
  const up = current.replicas === deployment.replicas ? [] : [{ set: current, to: deployment.replicas }];
  const scaled = await applyScales(deps, rollout, up);
  await cleanUp(deps.host, rollout);
  return writeStatus(deps.host, scaled, 'progress');
}

async function resize(deps: Deps, rollout: Rollout): Promise<RequeueAfterMs> {
  const scaled = await applyScales(deps, rollout, planScale(rollout.deployment, rollout.revisions));
  if (rollout.deployment.paused) await cleanUp(deps.host, rollout, 'whatever its state');
  return writeStatus(deps.host, scaled, 'counts');
}

async function applyScales(deps: Deps, rollout: Rollout, scales: readonly Scale[]): Promise<Rollout> {
  const { deployment, revisions } = rollout;
  const written = new Map<string, KubeObject>();
  for (const { set, to } of scales) {
    const annotations = { ...set.annotations, ...sizeAnnotations(deployment) };
    const sameNotes = Object.entries(annotations).every(([key, value]) => set.annotations[key] === value);
    if (set.replicas === to && sameNotes) continue;
    const { object } = set;
    const spec = { ...readFields(object, 'spec'), replicas: to };
    written.set(set.uid, await deps.host.cluster.update({ ...object, metadata: { ...object.metadata, annotations }, spec }));
    if (set.replicas === to) continue;
    const direction = set.replicas < to ? 'up' : 'down';
    deps.record(
      deployment.object,
      'Normal',
      'ScalingReplicaSet',
      `Scaled ${direction} replica set ${set.name} from ${set.replicas} to ${to}`,
    );
  }
  const latest = (uid: string) => written.get(uid);
  const refresh = (set: Revisions['old'][number]) => {
    const object = latest(set.uid);
    return object ? toRevisionSet(object) : set;
  };
  return { deployment, revisions: { current: revisions.current && refresh(revisions.current), old: revisions.old.map(refresh) } };
}

async function writeStatus(host: ControllerHost, { deployment, revisions }: Rollout, what: 'counts' | 'progress'): Promise<RequeueAfterMs> {
  const now = host.clock.now();
  const status = what === 'progress' ? toRolloutStatus(deployment, revisions, now) : toStatus(deployment, revisions, now);
  const written = await updateStatus(host, deployment.object, status);
  return what === 'progress' ? progressCheckMs(toDeployment(written), now) : undefined;
}

async function cleanUp(
  host: ControllerHost,
  { deployment, revisions }: Rollout,
  when: 'complete' | 'whatever its state' = 'complete',
): Promise<void> {
  if (when === 'complete' && !isComplete(deployment, readFields(deployment.object, 'status'))) return;
  for (const set of planCleanup(deployment, revisions.old)) await deleteExactly(host, set.object);
}

async function notePaused(host: ControllerHost, deployment: Deployment): Promise<Deployment> {
  const condition = pausedCondition(deployment);
  if (!condition) return deployment;
  const conditions = putCondition(conditionsOf(deployment), condition, host.clock.now());
  return toDeployment(await updateStatus(host, deployment.object, { ...readFields(deployment.object, 'status'), conditions }));
}

async function refuseEmptySelector({ host, record }: Deps, object: KubeObject): Promise<RequeueAfterMs> {
  record(object, 'Warning', 'SelectingAll', 'This deployment is selecting all pods. A non-empty selector is required.');
  const { generation } = object.metadata;
  if ((readNumber(object, 'status', 'observedGeneration') ?? 0) < (generation ?? 0)) {
    await updateStatus(host, object, { ...readFields(object, 'status'), observedGeneration: generation });
  }
  return undefined;
}

function hasOldPods(host: ControllerHost, { current, old }: Revisions): boolean {
  if (old.some((set) => set.actual > 0)) return true;
  return allOf({ current: undefined, old }).some(
    (set) => set.uid !== current?.uid && ownedOf(host, set.uid, POD).some((pod) => !isFinished(pod)),
  );
}

function orMatching(host: ControllerHost, { after }: ObservedChange, owners: readonly ObjectKey[]): readonly ObjectKey[] {
  if (owners.length > 0 || !after) return owners;
  return host
    .list(DEPLOYMENT, after.metadata.namespace)
    .filter((deployment) => matchesSelector(readFields(deployment, 'spec', 'selector'), labelsOf(after)))
    .map(keyOf);
}

// Only a Recreate Deployment waits for pods themselves: for the last old one to be gone.
function recreating(host: ControllerHost, change: ObservedChange): readonly ObjectKey[] {
  if (change.after) return [];
  return controllersOf(REPLICA_SET)(change).flatMap((key) => {
    const set = host.get(REPLICA_SET, key);
    return set ? controllersOf(DEPLOYMENT)({ key, before: undefined, after: set }) : [];
  });
}
