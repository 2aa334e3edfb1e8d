import type { Amounts, PodContainer, PodRow } from '@/lib/contract/pod-rows';
import { readBoolean, readField, readString } from '@/lib/kube/fields';
import { hideCredentials } from '@/lib/kube/mask';
import type { KubeObject } from '@/lib/kube/object';
import { toObjectKey } from '@/lib/kube/object';
import { parseQuantity } from '@/lib/kube/quantity';
import type { NamedContainer } from '@/server/status';
import { containersOf, readContainer, readContainerState } from '@/server/status';
import type { ObjectReader } from '../command-deps';

/** What containers use, by the name of the container. */
export type UsageOfPod = ReadonlyMap<string, Amounts>;

/** A pod as a row: how it stands, where it runs, and each of its containers with what it asks for beside what it uses. */
export function toPodRow(
  pod: KubeObject,
  { health, message }: ReturnType<ObjectReader['healthOf']>,
  usage: UsageOfPod | undefined,
): PodRow {
  const { metadata } = pod;
  return {
    key: toObjectKey(metadata),
    ns: metadata.namespace ?? '',
    name: metadata.name ?? '',
    phase: readString(pod, 'status', 'phase') ?? 'Unknown',
    reason: readString(pod, 'status', 'reason') ?? '',
    health,
    message: hideCredentials(message || (readString(pod, 'status', 'message') ?? '')),
    node: readString(pod, 'spec', 'nodeName') ?? null,
    address: readString(pod, 'status', 'podIP') ?? null,
    createdAt: metadata.creationTimestamp ?? null,
    deletingSince: metadata.deletionTimestamp ?? null,
    containers: containersOf(pod).map((named) => toContainer(pod, named, usage)),
  };
}

function toContainer(pod: KubeObject, named: NamedContainer, usage: UsageOfPod | undefined): PodContainer {
  const { written, reported } = readContainer(pod, named);
  const { run, phase, restarts, waits, exit, exitedAt, exitBefore } = readContainerState(pod, named);
  return {
    ...named,
    image: hideCredentials(readString(written, 'image') ?? ''),
    phase,
    ready: readBoolean(reported, 'ready') ?? false,
    restarts,
    startedAt: phase === 'running' ? (run ?? null) : null,
    waits: phase === 'waiting' ? hideCredentials(waits) : '',
    exit: exit ?? null,
    exitedAt: exitedAt ?? null,
    exitBefore: exitBefore ?? null,
    requests: toAmounts(readField(written, 'resources', 'requests')),
    limits: toAmounts(readField(written, 'resources', 'limits')),
    usage: usage?.get(named.name) ?? null,
  };
}

/** Reads processor time and memory as Kubernetes writes them. */
export function toAmounts(from: unknown): Amounts {
  return { cpu: parseQuantity(readField(from, 'cpu')) ?? null, memory: parseQuantity(readField(from, 'memory')) ?? null };
}
