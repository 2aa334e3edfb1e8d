import type { Fields } from '@/lib/kube/fields';
import { readFields, readList, readNumber, readString } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import type { Instant } from '@/lib/std/instant';
import { isAlreadyExists } from '@/server/kube';
import type { ControllerHost } from '../../host';
import { claimObjects } from '../claim';
import type { EventWriter, Recorder } from '../events';
import type { RequeueAfterMs } from '../key-queue';
import { PERSISTENT_VOLUME_CLAIM, POD, STATEFUL_SET } from '../kinds';
import type { Loop } from '../loop';
import { controllersOf, keyOf, startLoop } from '../loop';
import { followOrphans } from '../orphans';
import { availableInMs, isFinished, isReady, isTerminating, phaseOf } from '../pod-view';
import { deleteExactly, omitEmpty, updateStatus } from '../writes';
import { scaledValue } from './deployment/model';
import type { History, Revision } from './history';
import { syncHistory, trimHistory } from './history';
import { isNamespaceTerminating, toPod } from './pod-control';
import type { ObservedStatefulSet } from './stateful-plan';
import { ordinalOf, planOrdinals, REVISION_LABEL } from './stateful-plan';

/** Keeps the numbered pods of StatefulSets: in order or in parallel, with their claims, revision by revision. */
export function startStatefulSets(host: ControllerHost, events: EventWriter): Loop {
  const orphans = followOrphans(host, POD);
  const record = events.recorder('statefulset-controller');
  return startLoop(host, {
    name: 'statefulset',
    watches: [{ type: STATEFUL_SET }, { type: POD, keysOf: controllersOf(STATEFUL_SET) }],
    workers: 4,
    reconcile: async (key) => {
      const set = host.get(STATEFUL_SET, key);
      if (!set) return undefined;
      const pods = await claimObjects(host, { owner: set, type: POD, selector: readFields(set, 'spec', 'selector'), orphans });
      return reconcile(host, record, { set, pods: pods.filter((pod) => ordinalOf(set, pod) !== undefined) });
    },
    onStop: orphans.release,
  });
}

async function reconcile(
  host: ControllerHost,
  record: Recorder,
  { set, pods }: { set: KubeObject; pods: readonly KubeObject[] },
): Promise<RequeueAfterMs> {
  const history = await syncHistory(host, set, 'controller.kubernetes.io/hash');
  const { update } = history;
  const current = history.all.find((revision) => revision.name === readString(set, 'status', 'currentRevision')) ?? update;
  const now = host.clock.now();
  const minReady = readNumber(set, 'spec', 'minReadySeconds') ?? 0;
  const deleted: KubeObject[] = [];
  if (!isTerminating(set)) {
    for (const step of planOrdinals(toObservedRequest(set, pods, { update, minReady, now }))) {
      if (step.kind === 'delete') {
        await remove(host, record, set, step.pod);
        deleted.push(step.pod);
      } else await create(host, record, set, { ordinal: step.ordinal, revision: revisionFor(set, step.ordinal, { current, update }) });
    }
  }
  const latest = host.get(STATEFUL_SET, keyOf(set));
  if (!latest) return undefined;
  await updateStatus(
    host,
    latest,
    toStatus(
      set,
      pods.filter((pod) => host.get(POD, keyOf(pod))),
      { current, update, minReady, now, deleted },
    ),
  );
  const used = new Set([current.name, update.name, ...pods.map((pod) => pod.metadata.labels?.[REVISION_LABEL] ?? '')]);
  await trimHistory(host, set, history, used);
  const waits = pods.flatMap((pod) => availableInMs(pod, minReady, now) ?? []).filter((ms) => ms > 0);
  return waits.length > 0 ? Math.min(...waits) : undefined;
}

function toObservedRequest(
  set: KubeObject,
  pods: readonly KubeObject[],
  at: { update: Revision; minReady: number; now: Instant },
): ObservedStatefulSet {
  const rolling = readFields(set, 'spec', 'updateStrategy', 'rollingUpdate');
  const replicas = readNumber(set, 'spec', 'replicas') ?? 1;
  const start = readNumber(set, 'spec', 'ordinals', 'start') ?? 0;
  return {
    start,
    replicas,
    pods: new Map(pods.map((pod) => [ordinalOf(set, pod) ?? 0, pod])),
    inOrder: readString(set, 'spec', 'podManagementPolicy') !== 'Parallel',
    rolls: readString(set, 'spec', 'updateStrategy', 'type') !== 'OnDelete',
    partition: readNumber(rolling, 'partition') ?? 0,
    maxUnavailable: Math.max(1, scaledValue(rolling.maxUnavailable ?? 1, replicas, 'up')),
    updateRevision: at.update.name,
    isAvailable: (pod) => phaseOf(pod) === 'Running' && availableInMs(pod, at.minReady, at.now) === 0,
  };
}

// While an update rolls, the ordinals it has not reached are made again as they were.
function revisionFor(set: KubeObject, ordinal: number, { current, update }: { current: Revision; update: Revision }): Revision {
  if (readString(set, 'spec', 'updateStrategy', 'type') === 'OnDelete') return update;
  const index = ordinal - (readNumber(set, 'spec', 'ordinals', 'start') ?? 0);
  const partition = readNumber(set, 'spec', 'updateStrategy', 'rollingUpdate', 'partition');
  const kept = partition ?? readNumber(set, 'status', 'currentReplicas') ?? 0;
  return index < kept ? current : update;
}

async function create(host: ControllerHost, record: Recorder, set: KubeObject, at: { ordinal: number; revision: Revision }): Promise<void> {
  const name = `${set.metadata.name}-${at.ordinal}`;
  await createClaims(host, record, set, name);
  const labels = {
    'statefulset.kubernetes.io/pod-name': name,
    'apps.kubernetes.io/pod-index': String(at.ordinal),
    [REVISION_LABEL]: at.revision.name,
  };
  const claims = readList(set, 'spec', 'volumeClaimTemplates').map((claim) => readString(claim, 'metadata', 'name') ?? '');
  const others = readList(at.revision.template, 'spec', 'volumes').filter((volume) => !claims.includes(readString(volume, 'name') ?? ''));
  const volumes = [...others, ...claims.map((claim) => ({ name: claim, persistentVolumeClaim: { claimName: `${claim}-${name}` } }))];
  const subdomain = readString(set, 'spec', 'serviceName');
  const spec = { hostname: name, ...(subdomain ? { subdomain } : {}), ...(volumes.length > 0 ? { volumes } : {}) };
  try {
    await host.cluster.create(toPod(set, at.revision.template, { name, labels, spec }));
    record(set, 'Normal', 'SuccessfulCreate', `create Pod ${name} in StatefulSet ${set.metadata.name} successful`);
  } catch (error) {
    if (!isNamespaceTerminating(error) && !isAlreadyExists(error)) throw error;
  }
}

async function createClaims(host: ControllerHost, record: Recorder, set: KubeObject, pod: string): Promise<void> {
  const { namespace = '' } = set.metadata;
  const selected = readFields(set, 'spec', 'selector', 'matchLabels');
  for (const template of readList(set, 'spec', 'volumeClaimTemplates')) {
    const { name: claim = '', labels, annotations } = readFields(template, 'metadata') as KubeObject['metadata'];
    const name = `${claim}-${pod}`;
    if (host.get(PERSISTENT_VOLUME_CLAIM, `${namespace}/${name}`)) continue;
    const metadata = {
      name,
      namespace,
      labels: { ...labels, ...(selected as Record<string, string>) },
      ...(annotations ? { annotations } : {}),
    };
    await host.cluster.create({ ...PERSISTENT_VOLUME_CLAIM, metadata, spec: readFields(template, 'spec') });
    record(set, 'Normal', 'SuccessfulCreate', `create Claim ${name} Pod ${pod} in StatefulSet ${set.metadata.name} success`);
  }
}

async function remove(host: ControllerHost, record: Recorder, set: KubeObject, pod: KubeObject): Promise<void> {
  await deleteExactly(host, pod);
  record(set, 'Normal', 'SuccessfulDelete', `delete Pod ${pod.metadata.name} in StatefulSet ${set.metadata.name} successful`);
}

interface Counting {
  readonly current: History['update'];
  readonly update: History['update'];
  readonly minReady: number;
  readonly now: Instant;
  readonly deleted: readonly KubeObject[];
}

function toStatus(set: KubeObject, pods: readonly KubeObject[], at: Counting): Fields {
  const replicas = readNumber(set, 'spec', 'replicas') ?? 1;
  const ready = pods.filter((pod) => phaseOf(pod) === 'Running' && isReady(pod));
  const staying = pods.filter((pod) => !isTerminating(pod) && !isFinished(pod) && !at.deleted.includes(pod));
  const ofRevision = (revision: Revision) => staying.filter((pod) => pod.metadata.labels?.[REVISION_LABEL] === revision.name).length;
  const updated = ofRevision(at.update);
  const rolls = readString(set, 'spec', 'updateStrategy', 'type') !== 'OnDelete';
  const isDone = rolls && updated === replicas && ready.length === replicas && pods.length === replicas;
  return {
    replicas: pods.length,
    availableReplicas: ready.filter((pod) => availableInMs(pod, at.minReady, at.now) === 0).length,
    collisionCount: readNumber(set, 'status', 'collisionCount') ?? 0,
    ...omitEmpty({
      observedGeneration: set.metadata.generation,
      readyReplicas: ready.length,
      currentReplicas: isDone ? updated : ofRevision(at.current),
      updatedReplicas: updated,
      currentRevision: isDone ? at.update.name : at.current.name,
      updateRevision: at.update.name,
    }),
  };
}
