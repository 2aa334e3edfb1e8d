import { getCondition } from '@/lib/kube/condition';
import type { Fields } from '@/lib/kube/fields';
import { readFields, readList, readNumber, readString } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import { deepEqual } from '@/lib/std/deep-equal';
import type { Instant } from '@/lib/std/instant';
import type { ControllerHost } from '../../host';
import { findObstacles } from '../../pods/node-fit';
import { claimObjects } from '../claim';
import type { EventWriter } from '../events';
import type { RequeueAfterMs } from '../key-queue';
import { DAEMON_SET, NODE, POD } from '../kinds';
import type { Loop, ObservedChange } from '../loop';
import { controllersOf, keyOf, startLoop } from '../loop';
import { followOrphans } from '../orphans';
import { availableInMs, isFinished, isReady, isTerminating, nodeOf } from '../pod-view';
import { omitEmpty, updateStatus } from '../writes';
import { scaledValue } from './deployment/model';
import type { Revision } from './history';
import { syncHistory, trimHistory } from './history';
import type { PodControl } from './pod-control';
import { createPodControl, templateOf, toPod } from './pod-control';
import { REVISION_LABEL } from './stateful-plan';

const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation';

// What a node may suffer from without losing its daemons.
const TOLERATIONS = [
  { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/disk-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/memory-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/pid-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/unschedulable', operator: 'Exists', effect: 'NoSchedule' },
];

/** Keeps one pod of each DaemonSet on every node that takes it. */
export function startDaemonSets(host: ControllerHost, events: EventWriter): Loop {
  const orphans = followOrphans(host, POD);
  const control = createPodControl(host, events.recorder('daemonset-controller'));
  return startLoop(host, {
    name: 'daemonset',
    watches: [
      { type: DAEMON_SET },
      { type: POD, keysOf: controllersOf(DAEMON_SET) },
      { type: NODE, keysOf: (change) => (changesPlaces(change) ? host.list(DAEMON_SET).map(keyOf) : []) },
    ],
    workers: 4,
    reconcile: async (key) => {
      const set = host.get(DAEMON_SET, key);
      if (!set) return undefined;
      const pods = await claimObjects(host, { owner: set, type: POD, selector: readFields(set, 'spec', 'selector'), orphans });
      return reconcile(host, control, { set, pods });
    },
    onStop: orphans.release,
  });
}

/** One node as a DaemonSet sees it. */
interface Place {
  readonly name: string;
  readonly wanted: boolean;
  readonly pods: readonly KubeObject[];
}

async function reconcile(
  host: ControllerHost,
  control: PodControl,
  { set, pods }: { set: KubeObject; pods: readonly KubeObject[] },
): Promise<RequeueAfterMs> {
  const history = await syncHistory(host, set, REVISION_LABEL);
  const minReady = readNumber(set, 'spec', 'minReadySeconds') ?? 0;
  const now = host.clock.now();
  const places = toPlaces(host, set, pods);
  if (!isTerminating(set)) {
    await place(control, set, { places, revision: history.update });
    for (const pod of outdated(set, places, { revision: history.update, minReady, now })) await control.remove(set, pod);
  }
  const latest = host.get(DAEMON_SET, keyOf(set));
  if (!latest) return undefined;
  await updateStatus(
    host,
    latest,
    toStatus(set, toPlaces(host, set, stillThere(host, set, pods)), { revision: history.update, minReady, now }),
  );
  await trimHistory(host, set, history, new Set([history.update.hash, ...pods.map((pod) => pod.metadata.labels?.[REVISION_LABEL] ?? '')]));
  const waits = pods.flatMap((pod) => availableInMs(pod, minReady, now) ?? []).filter((ms) => ms > 0);
  return waits.length > 0 ? Math.min(...waits) : undefined;
}

function stillThere(host: ControllerHost, set: KubeObject, pods: readonly KubeObject[]): readonly KubeObject[] {
  const made = host.ownedBy(set.metadata.uid ?? '').filter((object) => object.kind === 'Pod');
  return made.length > 0 ? made : pods.filter((pod) => host.get(POD, keyOf(pod)));
}

function toPlaces(host: ControllerHost, set: KubeObject, pods: readonly KubeObject[]): readonly Place[] {
  const probe = toPod(set, templateOf(set), { spec: { tolerations: tolerationsOf(set) } });
  const byNode = new Map<string, KubeObject[]>();
  for (const pod of pods) byNode.set(placeOf(pod), [...(byNode.get(placeOf(pod)) ?? []), pod]);
  return host.list(NODE).map((node) => {
    const name = node.metadata.name ?? '';
    // Room does not count here: a daemon that finds none waits on its node until there is some.
    const refusals = findObstacles(probe, node, new Map()).filter((obstacle) => obstacle.startsWith('node(s)'));
    return { name, wanted: refusals.length === 0, pods: byNode.get(name) ?? [] };
  });
}

function placeOf(pod: KubeObject): string {
  const terms = readList(pod, 'spec', 'affinity', 'nodeAffinity', 'requiredDuringSchedulingIgnoredDuringExecution', 'nodeSelectorTerms');
  return nodeOf(pod) || (readString(terms[0], 'matchFields', 0, 'values', 0) ?? '');
}

async function place(
  control: PodControl,
  set: KubeObject,
  { places, revision }: { places: readonly Place[]; revision: Revision },
): Promise<void> {
  for (const { name, wanted, pods } of places) {
    const failed = pods.filter((pod) => isFinished(pod) && !isTerminating(pod));
    for (const pod of wanted ? failed : pods.filter((other) => !isTerminating(other))) await control.remove(set, pod);
    if (wanted && pods.length === 0) await control.create(set, templateOf(set), podFor(set, name, revision));
  }
}

function podFor(set: KubeObject, node: string, revision: Revision) {
  const term = { matchFields: [{ key: 'metadata.name', operator: 'In', values: [node] }] };
  const affinity = { ...readFields(templateOf(set), 'spec', 'affinity') };
  const nodeAffinity = {
    ...readFields(affinity, 'nodeAffinity'),
    requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] },
  };
  const generation = set.metadata.annotations?.[TEMPLATE_GENERATION] ?? String(revision.number);
  return {
    labels: { [REVISION_LABEL]: revision.hash, 'pod-template-generation': generation },
    spec: { affinity: { ...affinity, nodeAffinity }, tolerations: tolerationsOf(set) },
  };
}

function tolerationsOf(set: KubeObject): readonly unknown[] {
  return [...readList(templateOf(set), 'spec', 'tolerations'), ...TOLERATIONS];
}

interface Evaluated {
  readonly revision: Revision;
  readonly minReady: number;
  readonly now: Instant;
}

/** Pods of an older template that may go now: those that are down anyway, and others as far as maxUnavailable allows. */
function outdated(set: KubeObject, places: readonly Place[], evaluated: Evaluated): readonly KubeObject[] {
  if (readString(set, 'spec', 'updateStrategy', 'type') === 'OnDelete') return [];
  const wanted = places.filter((entry) => entry.wanted);
  const allowed = Math.max(
    1,
    scaledValue(readFields(set, 'spec', 'updateStrategy', 'rollingUpdate').maxUnavailable ?? 1, wanted.length, 'up'),
  );
  const down = wanted.filter(({ pods }) => !pods.some((pod) => isUp(pod, evaluated)));
  const old = wanted.flatMap(({ pods }) =>
    pods.filter((pod) => !isTerminating(pod) && pod.metadata.labels?.[REVISION_LABEL] !== evaluated.revision.hash),
  );
  const useless = old.filter((pod) => !isUp(pod, evaluated));
  return [...useless, ...old.filter((pod) => isUp(pod, evaluated)).slice(0, Math.max(0, allowed - down.length))];
}

function isUp(pod: KubeObject, { minReady, now }: Evaluated): boolean {
  return !isTerminating(pod) && availableInMs(pod, minReady, now) === 0;
}

function toStatus(set: KubeObject, places: readonly Place[], evaluated: Evaluated): Fields {
  const wanted = places.filter((entry) => entry.wanted);
  const running = wanted.flatMap(({ pods }) => pods.slice(0, 1));
  const available = running.filter((pod) => isUp(pod, evaluated)).length;
  return {
    currentNumberScheduled: running.length,
    numberMisscheduled: places.filter((entry) => !entry.wanted && entry.pods.length > 0).length,
    desiredNumberScheduled: wanted.length,
    numberReady: running.filter(isReady).length,
    ...omitEmpty({
      observedGeneration: set.metadata.generation,
      updatedNumberScheduled: running.filter((pod) => pod.metadata.labels?.[REVISION_LABEL] === evaluated.revision.hash).length,
      numberAvailable: available,
      numberUnavailable: wanted.length - available,
    }),
  };
}

// Heartbeats change nodes all the time; only these changes decide where daemons run.
function changesPlaces({ before, after }: ObservedChange): boolean {
  const ready = (node: KubeObject) => getCondition(node, 'Ready')?.status;
  return (
    !before ||
    !after ||
    ready(before) !== ready(after) ||
    !deepEqual(before.spec, after.spec) ||
    !deepEqual(before.metadata.labels, after.metadata.labels)
  );
}
