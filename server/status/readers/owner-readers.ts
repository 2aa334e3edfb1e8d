import type { KubeObject } from '@/lib/kube/object';
import type { Awaitable } from '../awaitable';
import type { ClusterReader } from '../cluster/cluster-reader';
import { readOwnerSelector } from '../cluster/label-selector';
import type { GroupKind, ObjMetadata } from '../identifier';
import { toObjMetadata } from '../identifier';
import { isUnschedulable } from '../kinds/pod';
import { decodeConditions } from '../object-conditions';
import type { ResourceStatus } from '../resource-status';
import { compareResourceStatus } from '../resource-status';
import { judge, readThenJudge } from './generic-reader';
import { errorToStatus } from './status-error';
import type { ComputeStatus, StatusReader } from './status-reader';

/** `strict` counts every failed pod; `ignoreTransient` leaves out those that no node fits yet and those on their way out. */
export type PodFailures = 'strict' | 'ignoreTransient';

/** True for one kind only. */
export const isKind = (of: GroupKind) => (asked: GroupKind) => asked.kind === of.kind && asked.group === of.group;

export const POD: GroupKind = { group: '', kind: 'Pod' };
export const REPLICA_SET: GroupKind = { group: 'apps', kind: 'ReplicaSet' };
export const STATEFUL_SET: GroupKind = { group: 'apps', kind: 'StatefulSet' };
export const DEPLOYMENT: GroupKind = { group: 'apps', kind: 'Deployment' };

interface OwnerReaderConfig {
  readonly of: GroupKind;
  readonly children: GroupKind;
  readonly childReader: StatusReader;
  readonly compute: ComputeStatus;
  /** What the children make of the owner's own status. */
  readonly combine?: (own: ResourceStatus) => ResourceStatus;
}

/**
 * Judges an owner together with its children, which are whatever its selector selects in its namespace: owner references
 * are never asked. Children that cannot be read leave the owner without a status of its own.
 */
export function ownerStatusReader(config: OwnerReaderConfig): StatusReader {
  const { of, children, childReader, compute, combine = (own) => own } = config;
  const reader: StatusReader = {
    supports: isKind(of),
    readStatus: (signal: AbortSignal, cluster: ClusterReader, identifier: ObjMetadata) => readThenJudge(signal, cluster, identifier, reader),
    async readStatusForObject(signal: AbortSignal, cluster: ClusterReader, owner: KubeObject) {
      let generated: readonly ResourceStatus[];
      try {
        const selector = readOwnerSelector(owner);
        const objects = await cluster.listNamespaceScoped(signal, children, owner.metadata.namespace ?? '', selector);
        generated = await readAll(objects, (object) => childReader.readStatusForObject(signal, cluster, object));
      } catch (error) {
        return errorToStatus(error, toObjMetadata(owner), signal, owner);
      }
      return combine(judge(owner, compute, generated));
    },
  };
  return reader;
}

async function readAll(objects: readonly KubeObject[], read: (object: KubeObject) => Awaitable<ResourceStatus>): Promise<readonly ResourceStatus[]> {
  const statuses: ResourceStatus[] = [];
  for (const object of objects) {
    const status = read(object);
    statuses.push(status instanceof Promise ? await status : status); // one after another, so that calls keep their order
  }
  return statuses.sort(compareResourceStatus);
}

/** An owner of pods that is in progress has failed when pods of it have. */
export function failWithPods(policy: PodFailures): (own: ResourceStatus) => ResourceStatus {
  return (own) => {
    if (own.status !== 'InProgress') return own;
    const failures = own.generated.filter(
      (child) => child.identifier.kind === 'Pod' && child.status === 'Failed' && (policy === 'strict' || !isTransient(child)),
    );
    return failures.length === 0 ? own : { ...own, status: 'Failed', message: `${failures.length} pods have failed` };
  };
}

function isTransient({ resource }: ResourceStatus): boolean {
  if (resource === undefined || resource.metadata.deletionTimestamp) return true;
  return isUnschedulable(decodeConditions(resource));
}
