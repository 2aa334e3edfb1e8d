import { messageOf } from '@/lib/contract/app-error';
import { readFields, readList, readString } from '@/lib/kube/fields';
import type { KubeObject, TypeRef } from '@/lib/kube/object';
import { groupOf, toAddress } from '@/lib/kube/object';
import { deepEqual } from '@/lib/std/deep-equal';
import { toKubeTime } from '@/lib/std/instant';
import { isNotFound } from '@/server/kube';
import type { ControllerHost } from '../../host';
import { NAMESPACE, POD } from '../kinds';
import type { Loop } from '../loop';
import { startLoop } from '../loop';
import { isTerminating } from '../pod-view';
import type { WrittenCondition } from '../writes';
import { updateStatus } from '../writes';

const FINALIZER = 'kubernetes';

// What each condition says while there is nothing to complain about, in the order in which they are written.
const FINE = [
  ['NamespaceDeletionDiscoveryFailure', 'ResourcesDiscovered', 'All resources successfully discovered'],
  ['NamespaceDeletionGroupVersionParsingFailure', 'ParsedGroupVersions', 'All legacy kube types successfully parsed'],
  ['NamespaceDeletionContentFailure', 'ContentDeleted', 'All content successfully deleted, may be waiting on finalization'],
  ['NamespaceContentRemaining', 'ContentRemoved', 'All content successfully removed'],
  ['NamespaceFinalizersRemaining', 'ContentHasNoFinalizers', 'All content-preserving finalizers finished'],
] as const;

interface Complaint {
  readonly type: (typeof FINE)[number][0];
  readonly reason: string;
  readonly message: string;
}

/** Empties namespaces that are being deleted, pods first, and lets them go when nothing is left. */
export function startNamespaces(host: ControllerHost): Loop {
  const going = new Set<string>();
  const loop = startLoop(host, {
    name: 'namespace',
    watches: [{ type: NAMESPACE }],
    reconcile: async (key) => {
      const namespace = host.get(NAMESPACE, key);
      if (!namespace || !isTerminating(namespace)) {
        going.delete(key);
        return undefined;
      }
      going.add(key);
      await empty(host, namespace);
      return undefined;
    },
  });
  const release = host.onChange(({ before, after }) => {
    const namespace = before?.metadata.namespace ?? '';
    if (!after && going.has(namespace)) loop.add(namespace);
  });
  return {
    ...loop,
    async [Symbol.asyncDispose]() {
      release();
      await loop[Symbol.asyncDispose]();
    },
  };
}

async function empty(host: ControllerHost, namespace: KubeObject): Promise<void> {
  const { name = '' } = namespace.metadata;
  const failures: string[] = [];
  const pods = contentOf(host, name, [POD]);
  for (const object of pods.length > 0 ? pods : contentOf(host, name, host.types())) {
    if (isTerminating(object)) continue;
    try {
      await host.cluster.delete(toAddress(object), { propagationPolicy: 'Background' });
    } catch (error) {
      if (!isNotFound(error)) failures.push(messageOf(error));
    }
  }
  const remaining = contentOf(host, name, pods.length > 0 ? [POD] : host.types());
  const complaints = await complain(host, remaining, failures);
  const latest = host.get(NAMESPACE, name);
  if (!latest || latest.metadata.uid !== namespace.metadata.uid) return;
  const written = await writeConditions(host, latest, complaints);
  if (remaining.length + failures.length > 0 || contentOf(host, name, host.types()).length > 0) return;
  const finalizers = readList(written, 'spec', 'finalizers');
  if (!finalizers.includes(FINALIZER)) return;
  const spec = { ...readFields(written, 'spec'), finalizers: finalizers.filter((entry) => entry !== FINALIZER) };
  await host.cluster.update({ ...written, spec }, { subresource: 'finalize' });
}

function contentOf(host: ControllerHost, namespace: string, types: readonly TypeRef[]): readonly KubeObject[] {
  return types.flatMap((type) => host.list(type, namespace).filter((object) => object.metadata.namespace === namespace));
}

async function complain(
  host: ControllerHost,
  remaining: readonly KubeObject[],
  failures: readonly string[],
): Promise<readonly Complaint[]> {
  const complaints: Complaint[] = [];
  if (failures.length > 0) {
    const message = `Failed to delete all resource types, ${failures.length} remaining: ${[...failures].sort().join(', ')}`;
    complaints.push({ type: 'NamespaceDeletionContentFailure', reason: 'ContentDeletionFailed', message });
  }
  if (remaining.length === 0) return complaints;
  const kinds = new Map<string, number>();
  const finalizers = new Map<string, number>();
  for (const object of remaining) {
    const { plural } = await host.cluster.discovery.resolve(object);
    add(kinds, `${plural}.${groupOf(object.apiVersion)}`);
    for (const finalizer of object.metadata.finalizers ?? []) add(finalizers, finalizer);
  }
  const words = (counts: ReadonlyMap<string, number>, verb: string) =>
    [...counts]
      .map(([what, count]) => `${what} ${verb} ${count} resource instances`)
      .sort()
      .join(', ');
  complaints.push({
    type: 'NamespaceContentRemaining',
    reason: 'SomeResourcesRemain',
    message: `Some resources are remaining: ${words(kinds, 'has')}`,
  });
  if (finalizers.size > 0) {
    const message = `Some content in the namespace has finalizers remaining: ${words(finalizers, 'in')}`;
    complaints.push({ type: 'NamespaceFinalizersRemaining', reason: 'SomeFinalizersRemain', message });
  }
  return complaints;
}

async function writeConditions(host: ControllerHost, namespace: KubeObject, complaints: readonly Complaint[]): Promise<KubeObject> {
  const before = readList(namespace, 'status', 'conditions') as readonly WrittenCondition[];
  const time = toKubeTime(host.clock.now());
  const conditions = FINE.map(([type, fineReason, fineMessage]): WrittenCondition => {
    const complaint = complaints.find((entry) => entry.type === type);
    const status = complaint ? 'True' : 'False';
    const old = before.find((condition) => condition.type === type);
    const lastTransitionTime = old?.status === status ? (old.lastTransitionTime ?? time) : time;
    return { type, status, lastTransitionTime, reason: complaint?.reason ?? fineReason, message: complaint?.message ?? fineMessage };
  });
  const phase = readString(namespace, 'status', 'phase');
  if (phase === 'Terminating' && deepEqual(before, conditions)) return namespace;
  return updateStatus(host, namespace, { ...readFields(namespace, 'status'), phase: 'Terminating', conditions });
}

function add(counts: Map<string, number>, what: string): void {
  counts.set(what, (counts.get(what) ?? 0) + 1);
}
