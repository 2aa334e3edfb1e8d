import { readFields, readList, readString } from '@/lib/kube/fields';
import { labelsOf, matchesSelector } from '@/lib/kube/label-selector';
import type { KubeObject } from '@/lib/kube/object';
import { parseQuantity } from '@/lib/kube/quantity';
import type { ControllerHost } from '../../host';
import type { EventWriter, Recorder } from '../events';
import { PERSISTENT_VOLUME, PERSISTENT_VOLUME_CLAIM, POD, STORAGE_CLASS } from '../kinds';
import type { Loop } from '../loop';
import { keyOf, startLoop } from '../loop';
import { isFinished, isTerminating } from '../pod-view';
import { deleteExactly, updateStatus } from '../writes';

const DEFAULT_CLASS = 'storageclass.kubernetes.io/is-default-class';
const BIND_COMPLETED = 'pv.kubernetes.io/bind-completed';
const BOUND_BY_CONTROLLER = 'pv.kubernetes.io/bound-by-controller';
const PROVISIONED_BY = 'pv.kubernetes.io/provisioned-by';
const PROTECTION = 'kubernetes.io/pvc-protection';

/** Binds claims to volumes: one that is there, or one made for the claim when its class can. */
export function startVolumeClaims(host: ControllerHost, events: EventWriter): Loop {
  const record = events.recorder('persistentvolume-controller');
  const waiting = () =>
    host
      .list(PERSISTENT_VOLUME_CLAIM)
      .filter((claim) => !isBound(claim))
      .map(keyOf);
  return startLoop(host, {
    name: 'persistentvolume',
    watches: [
      { type: PERSISTENT_VOLUME_CLAIM },
      { type: PERSISTENT_VOLUME, keysOf: ({ before }) => (before ? [] : waiting()) },
      { type: STORAGE_CLASS, keysOf: waiting },
      {
        type: POD,
        keysOf: ({ before, after }) => (before && after && isPlaced(before) === isPlaced(after) ? [] : claimsOf(after ?? before)),
      },
    ],
    reconcile: async (key) => {
      const claim = host.get(PERSISTENT_VOLUME_CLAIM, key);
      if (!claim) await release(host, key);
      else if (isTerminating(claim)) await unprotect(host, claim);
      else if (!isBound(claim)) await bind(host, record, claim);
      return undefined;
    },
  });
}

function isBound(claim: KubeObject): boolean {
  return readString(claim, 'status', 'phase') === 'Bound';
}

async function bind(host: ControllerHost, record: Recorder, claim: KubeObject): Promise<void> {
  const storageClass = classOf(host, claim);
  // A volume that is there is of a class by its name alone, whether or not anybody provides more of it.
  const found = findVolume(host, claim, readString(claim, 'spec', 'storageClassName') ?? storageClass?.metadata.name ?? '');
  if (!found && !storageClass) {
    record(claim, 'Normal', 'FailedBinding', 'no persistent volumes available for this claim and no storage class is set');
    await updateStatus(host, claim, { ...readFields(claim, 'status'), phase: 'Pending' });
    return;
  }
  if (!found && readString(storageClass, 'volumeBindingMode') === 'WaitForFirstConsumer' && usersOf(host, claim).length === 0) {
    record(claim, 'Normal', 'WaitForFirstConsumer', 'waiting for first consumer to be created before binding');
    await updateStatus(host, claim, { ...readFields(claim, 'status'), phase: 'Pending' });
    return;
  }
  const volume = await take(host, found ?? toVolume(claim, storageClass), claim);
  const annotations = { ...claim.metadata.annotations, [BIND_COMPLETED]: 'yes', [BOUND_BY_CONTROLLER]: 'yes' };
  const spec = { ...readFields(claim, 'spec'), volumeName: volume.metadata.name };
  const written = await host.cluster.update({ ...claim, metadata: { ...claim.metadata, annotations }, spec });
  const capacity = readFields(volume, 'spec', 'capacity');
  await updateStatus(host, written, { phase: 'Bound', accessModes: readList(volume, 'spec', 'accessModes'), capacity });
  if (!found) record(claim, 'Normal', 'ProvisioningSucceeded', `Successfully provisioned volume ${volume.metadata.name}`);
}

function classOf(host: ControllerHost, claim: KubeObject): KubeObject | undefined {
  const name = readString(claim, 'spec', 'storageClassName');
  if (name !== undefined) return name === '' ? undefined : host.get(STORAGE_CLASS, name);
  return host.list(STORAGE_CLASS).find((storageClass) => storageClass.metadata.annotations?.[DEFAULT_CLASS] === 'true');
}

/** The smallest free volume that is large enough, of the same class, and selected. */
function findVolume(host: ControllerHost, claim: KubeObject, className: string): KubeObject | undefined {
  const wanted = parseQuantity(readFields(claim, 'spec', 'resources', 'requests').storage) ?? 0;
  const size = (volume: KubeObject) => parseQuantity(readFields(volume, 'spec', 'capacity').storage) ?? 0;
  const modes = readList(claim, 'spec', 'accessModes');
  const named = readString(claim, 'spec', 'volumeName');
  const fits = (volume: KubeObject) => {
    const reserved = readString(volume, 'spec', 'claimRef', 'name');
    const isOurs = reserved === claim.metadata.name && readString(volume, 'spec', 'claimRef', 'namespace') === claim.metadata.namespace;
    if (reserved !== undefined && !isOurs) return false;
    if (named !== undefined && named !== '' && named !== volume.metadata.name) return false;
    const sameClass = (readString(volume, 'spec', 'storageClassName') ?? '') === className;
    const hasModes = modes.every((mode) => readList(volume, 'spec', 'accessModes').includes(mode));
    return sameClass && hasModes && size(volume) >= wanted && matchesSelector(readFields(claim, 'spec', 'selector'), labelsOf(volume));
  };
  return host
    .list(PERSISTENT_VOLUME)
    .filter((volume) => !isTerminating(volume) && fits(volume))
    .sort((a, b) => size(a) - size(b))[0];
}

function toVolume(claim: KubeObject, storageClass: KubeObject | undefined): KubeObject {
  const provisioner = readString(storageClass, 'provisioner') ?? '';
  return {
    ...PERSISTENT_VOLUME,
    metadata: { name: `pvc-${claim.metadata.uid}`, annotations: { [PROVISIONED_BY]: provisioner } },
    spec: {
      accessModes: readList(claim, 'spec', 'accessModes'),
      capacity: { storage: readFields(claim, 'spec', 'resources', 'requests').storage },
      persistentVolumeReclaimPolicy: readString(storageClass, 'reclaimPolicy') ?? 'Delete',
      storageClassName: storageClass?.metadata.name ?? '',
      volumeMode: readString(claim, 'spec', 'volumeMode') ?? 'Filesystem',
      hostPath: { path: `/simulated/${claim.metadata.uid}` },
    },
  };
}

async function take(host: ControllerHost, volume: KubeObject, claim: KubeObject): Promise<KubeObject> {
  const { name, namespace, uid, resourceVersion } = claim.metadata;
  const claimRef = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', name, namespace, uid, resourceVersion };
  const body = { ...volume, spec: { ...readFields(volume, 'spec'), claimRef } };
  const isNew = volume.metadata.uid === undefined;
  const known = isNew ? host.get(PERSISTENT_VOLUME, volume.metadata.name ?? '') : undefined;
  const stored = known ?? (isNew ? await host.cluster.create(body) : await host.cluster.update(body));
  return updateStatus(host, stored, { ...readFields(stored, 'status'), phase: 'Bound' });
}

// The claim is gone: what was made for it goes with it, anything else stays with its data.
async function release(host: ControllerHost, key: string): Promise<void> {
  for (const volume of host.list(PERSISTENT_VOLUME)) {
    const reference = readFields(volume, 'spec', 'claimRef');
    if (`${reference.namespace}/${reference.name}` !== key || readString(volume, 'status', 'phase') !== 'Bound') continue;
    if (readString(volume, 'spec', 'persistentVolumeReclaimPolicy') === 'Delete') await deleteExactly(host, volume);
    else await updateStatus(host, volume, { ...readFields(volume, 'status'), phase: 'Released' });
  }
}

async function unprotect(host: ControllerHost, claim: KubeObject): Promise<void> {
  const { finalizers = [] } = claim.metadata;
  if (!finalizers.includes(PROTECTION) || usersOf(host, claim).some(isPlaced)) return;
  await host.cluster.update({ ...claim, metadata: { ...claim.metadata, finalizers: finalizers.filter((entry) => entry !== PROTECTION) } });
}

/** True for a pod that a node has: no node starts one any more whose claim is being deleted. */
const isPlaced = (pod: KubeObject) => !isFinished(pod) && readString(pod, 'spec', 'nodeName') !== undefined;

function usersOf(host: ControllerHost, claim: KubeObject): readonly KubeObject[] {
  const key = keyOf(claim);
  return host.list(POD, claim.metadata.namespace).filter((pod) => !isFinished(pod) && claimsOf(pod).includes(key));
}

/** Keys of the claims that a pod mounts. */
export function claimsOf(pod: KubeObject | undefined): readonly string[] {
  return readList(pod, 'spec', 'volumes').flatMap((volume) => {
    const name = readString(volume, 'persistentVolumeClaim', 'claimName');
    return name === undefined ? [] : [`${pod?.metadata.namespace ?? ''}/${name}`];
  });
}
