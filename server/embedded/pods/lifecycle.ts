import { readBoolean, readList, readString } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import { toAddress } from '@/lib/kube/object';
import { toKubeTime } from '@/lib/std/instant';
import { ignoreNotFound } from '@/server/kube';
import { monotonicMsOf } from '@/server/platform';
import type { EventWriter, Recorder } from '../controllers/events';
import type { RequeueAfterMs } from '../controllers/key-queue';
import { NODE, POD } from '../controllers/kinds';
import type { Loop } from '../controllers/loop';
import { startLoop } from '../controllers/loop';
import { nodeOf } from '../controllers/pod-view';
import { updateStatus } from '../controllers/writes';
import type { ControllerHost } from '../host';
import type { Addresses } from './addresses';
import { followAddresses } from './addresses';
import { restartsOf, toPodStatus } from './pod-status';
import type { PodDefaults } from './script';
import { toScript } from './script';
import type { NextStatus, PodEvent, Transition } from './stage';
import { POD_STAGES } from './stages';

interface Due {
  readonly stage: string;
  readonly at: number;
}

/** Plays the stages of every pod. It knows stages, not pods: what happens when is all in the table. */
export function startPodLifecycle(host: ControllerHost, events: EventWriter, defaults: PodDefaults): Loop {
  const addresses = followAddresses(host);
  const dues = new Map<string, Due>();
  const record = events.recorder('kubelet');

  const reconcile = async (key: string): Promise<RequeueAfterMs> => {
    const pod = host.get(POD, key);
    const seen = pod && { pod, script: toScript(pod, defaults) };
    const stage = seen && POD_STAGES.find((entry) => entry.when(seen));
    if (!seen || !stage) {
      dues.delete(key);
      return undefined;
    }
    const now = monotonicMsOf(host.clock);
    const id = `${seen.pod.metadata.uid}/${stage.name}/${restartsOf(seen.pod)}`;
    const known = dues.get(key);
    const due = known?.stage === id ? known : { stage: id, at: now + stage.delayMs(seen) };
    dues.set(key, due);
    if (now < due.at) return due.at - now;
    const next = stage.next(seen, toKubeTime(host.clock.now()));
    await apply(host, seen.pod, next, addresses);
    if (next.kind === 'status') for (const event of next.events ?? []) say(record, seen.pod, event);
    return undefined;
  };

  const loop = startLoop(host, { name: 'pod-life', watches: [{ type: POD }], workers: 16, reconcile });
  return {
    ...loop,
    async [Symbol.asyncDispose]() {
      addresses.release();
      await loop[Symbol.asyncDispose]();
    },
  };
}

async function apply(host: ControllerHost, pod: KubeObject, next: Transition, addresses: Addresses): Promise<void> {
  if (next.kind === 'gone') await end(host, pod);
  else
    await updateStatus(
      host,
      pod,
      toPodStatus(pod, { ...next.status, ...addressesOf(host, pod, next.status, addresses), time: toKubeTime(host.clock.now()) }),
    );
}

// The node's word that nothing runs any more: from then on only finalizers keep the object.
async function end(host: ControllerHost, pod: KubeObject): Promise<void> {
  const { uid, deletionGracePeriodSeconds } = pod.metadata;
  if (deletionGracePeriodSeconds === 0) return;
  await ignoreNotFound(host.cluster.delete(toAddress(pod), { gracePeriodSeconds: 0, ...(uid ? { preconditions: { uid } } : {}) }));
}

function addressesOf(host: ControllerHost, pod: KubeObject, status: NextStatus, addresses: Addresses): { hostIP?: string; podIP?: string } {
  const node = host.get(NODE, nodeOf(pod));
  const hostIP = readString(readList(node, 'status', 'addresses')[0], 'address');
  const onHost = readBoolean(pod, 'spec', 'hostNetwork') ? hostIP : undefined;
  const podIP = status.addressed ? (readString(pod, 'status', 'podIP') ?? onHost ?? addresses.take()) : undefined;
  return { ...(hostIP ? { hostIP } : {}), ...(podIP ? { podIP } : {}) };
}

function say(record: Recorder, pod: KubeObject, event: PodEvent): void {
  for (const container of readList(pod, 'spec', 'containers')) {
    const about = { name: readString(container, 'name') ?? '', image: readString(container, 'image') ?? '' };
    record(pod, event.type, event.reason, event.message(about, pod));
  }
}
