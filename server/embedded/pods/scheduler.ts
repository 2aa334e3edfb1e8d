import { getCondition } from '@/lib/kube/condition';
import { readList, readString } from '@/lib/kube/fields';
import type { KubeObject, ObjectKey } from '@/lib/kube/object';
import { parseObjectKey } from '@/lib/kube/object';
import type { EventWriter, Recorder } from '../controllers/events';
import { NODE, PERSISTENT_VOLUME_CLAIM, POD } from '../controllers/kinds';
import type { Loop, ObservedChange } from '../controllers/loop';
import { keyOf, startLoop } from '../controllers/loop';
import { isFinished, isTerminating, nodeOf } from '../controllers/pod-view';
import { claimsOf } from '../controllers/storage/volume-claims';
import type { WrittenCondition } from '../controllers/writes';
import { setCondition, updateStatus } from '../controllers/writes';
import type { ControllerHost } from '../host';
import { findObstacles } from './node-fit';
import type { NodeUsage } from './node-usage';
import { followNodeUsage } from './node-usage';

const NAME = 'default-scheduler';

/** Binds each pod to the node with the most room that takes it, or says why none does. */
export function startScheduler(host: ControllerHost, events: EventWriter): Loop {
  const usage = followNodeUsage(host);
  const record = events.recorder(NAME);
  const refused = new Set<ObjectKey>();
  const loop = startLoop(host, {
    name: 'scheduler',
    watches: [
      { type: POD, keysOf: (change) => waitingPods(change, refused) },
      { type: NODE, keysOf: () => [...refused] },
      { type: PERSISTENT_VOLUME_CLAIM, keysOf: () => [...refused] },
    ],
    reconcile: async (key) => {
      const pod = host.get(POD, key);
      refused.delete(key);
      if (!pod || !isWaiting(pod)) return undefined;
      const nodes = host.list(NODE);
      const claim = findClaimObstacle(host, pod, nodes.length);
      const node = claim === undefined ? chooseNode(pod, nodes, usage) : undefined;
      if (node) await bind(host, pod, { node: node.metadata.name ?? '', record });
      else {
        refused.add(key);
        await refuse(host, pod, { message: claim ?? explain(pod, nodes, usage), record });
      }
      return undefined;
    },
  });
  return {
    ...loop,
    async [Symbol.asyncDispose]() {
      usage.release();
      await loop[Symbol.asyncDispose]();
    },
  };
}

function isWaiting(pod: KubeObject): boolean {
  const gated = readList(pod, 'spec', 'schedulingGates').length > 0;
  return nodeOf(pod) === '' && !isTerminating(pod) && !gated && (readString(pod, 'spec', 'schedulerName') ?? NAME) === NAME;
}

// Room appears when a pod goes or ends: then whoever was refused tries again.
function waitingPods({ key, before, after }: ObservedChange, refused: ReadonlySet<ObjectKey>): readonly ObjectKey[] {
  const gone = before !== undefined && nodeOf(before) !== '' && (!after || (isFinished(after) && !isFinished(before)));
  if (gone) return [...refused];
  return after && isWaiting(after) && (!before || before.spec !== after.spec) ? [key] : [];
}

/** What the claims of a pod have against binding it: they must exist and have their volumes first. */
function findClaimObstacle(host: ControllerHost, pod: KubeObject, nodes: number): string | undefined {
  const found = claimsOf(pod).map((key) => ({ key, claim: host.get(PERSISTENT_VOLUME_CLAIM, key) }));
  const missing = found.find(({ claim }) => claim === undefined);
  const reason = missing
    ? `persistentvolumeclaim "${parseObjectKey(missing.key).name}" not found`
    : found.some(({ claim }) => readString(claim, 'status', 'phase') !== 'Bound')
      ? 'pod has unbound immediate PersistentVolumeClaims'
      : undefined;
  return reason && `0/${nodes} nodes are available: ${reason}. not found`;
}

function chooseNode(pod: KubeObject, nodes: readonly KubeObject[], usage: NodeUsage): KubeObject | undefined {
  let best: { readonly node: KubeObject; readonly pods: number } | undefined;
  for (const node of nodes) {
    const used = usage.of(node.metadata.name ?? '');
    const pods = used.get('pods') ?? 0;
    if ((!best || pods < best.pods) && findObstacles(pod, node, used).length === 0) best = { node, pods };
  }
  return best?.node;
}

function explain(pod: KubeObject, nodes: readonly KubeObject[], usage: NodeUsage): string {
  if (nodes.length === 0) return 'no nodes available to schedule pods';
  const total = `0/${nodes.length} nodes are available`;
  const obstacles = nodes.flatMap((node) => findObstacles(pod, node, usage.of(node.metadata.name ?? '')));
  const hopes = nodes.map((node) =>
    isHopeless(pod, node) ? 'Preemption is not helpful for scheduling' : 'No preemption victims found for incoming pod',
  );
  return `${total}: ${tally(obstacles)}. no new claims to deallocate, preemption: ${total}: ${tally(hopes)}.`;
}

/** Counts equal words: `2 Insufficient cpu, 1 Too many pods`, sorted as text. */
function tally(words: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts]
    .map(([word, count]) => `${count} ${word}`)
    .sort()
    .join(', ');
}

// Sending other pods away cannot help on a node that refuses this one even when empty.
function isHopeless(pod: KubeObject, node: KubeObject): boolean {
  return findObstacles(pod, node, new Map()).length > 0;
}

async function bind(host: ControllerHost, pod: KubeObject, { node, record }: { node: string; record: Recorder }): Promise<void> {
  const { name = '', namespace = '' } = pod.metadata;
  const binding = {
    apiVersion: 'v1',
    kind: 'Binding',
    metadata: { name, namespace },
    target: { apiVersion: 'v1', kind: 'Node', name: node },
  };
  await host.cluster.create(binding, { subresource: 'binding', parent: POD });
  record(pod, 'Normal', 'Scheduled', `Successfully assigned ${keyOf(pod)} to ${node}`);
}

async function refuse(host: ControllerHost, pod: KubeObject, { message, record }: { message: string; record: Recorder }): Promise<void> {
  if (getCondition(pod, 'PodScheduled')?.message === message) return;
  record(pod, 'Warning', 'FailedScheduling', message);
  const before = readList(pod, 'status', 'conditions') as readonly WrittenCondition[];
  const others = before.filter((condition) => condition.type !== 'PodScheduled' || condition.reason !== 'Unschedulable');
  const observedGeneration = pod.metadata.generation;
  const next = { type: 'PodScheduled', status: 'False', lastProbeTime: null, observedGeneration, reason: 'Unschedulable', message };
  await updateStatus(host, pod, { ...(pod.status as object), conditions: setCondition(others, next, host.clock.now()) });
}
