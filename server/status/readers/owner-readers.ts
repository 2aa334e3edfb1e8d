import type { KubeObject } from '@/lib/kube/object';
import type { Awaitable } from '../awaitable';
import { mapAwaitable } from '../awaitable';
import type { ClusterReader } from '../cluster/cluster-reader';
import { readOwnerSelector } from '../cluster/label-selector';
import type { GroupKind, ObjMetadata } from '../identifier';
import { toObjMetadata } from '../identifier';
import { isUnschedulable } from '../kinds/pod';
import { decodeConditions } from '../object-conditions';
import type { ResourceStatus } from '../resource-status';
import { compareResourceStatus } from '../resource-status';
import { evaluate, readThenEvaluate } from './generic-reader';
import { errorToStatus } from './status-error';
import type { ComputeStatus, StatusReader } from './status-reader';

/** `strict` counts every failed pod; `ignoreTransient` leaves out those that no node fits yet and those on their way out. */
export type PodFailures = 'strict' | 'ignoreTransient';

/** True for one kind only. */
export const isKind = (of: GroupKind) => (asked: GroupKind) => asked.kind === of.kind && asked.group === of.group;

export const POD: GroupKind = { group: '', kind: 'Pod' };
export const REPLICA_SET: GroupKind = { group: 'apps', kind: 'ReplicaSet' };
export const STATEFUL_SET: GroupKind = { group: 'apps', kind: 'StatefulSet' };
export const DAEMON_SET: GroupKind = { group: 'apps', kind: 'DaemonSet' };
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
    readStatus: (signal: AbortSignal, cluster: ClusterReader, identifier: ObjMetadata) =>
      readThenEvaluate(signal, cluster, identifier, reader),
    readStatusForObject(signal: AbortSignal, cluster: ClusterReader, owner: KubeObject) {
      const withChildren = (generated: readonly ResourceStatus[]) => combine(evaluate(owner, compute, generated));
      const without = (error: unknown) => errorToStatus(error, toObjMetadata(owner), signal, owner);
      try {
        const objects = cluster.listNamespaceScoped(signal, children, owner.metadata.namespace ?? '', readOwnerSelector(owner));
        const generated = mapAwaitable(objects, (found) =>
          readAll(found, (object) => childReader.readStatusForObject(signal, cluster, object)),
        );
        return generated instanceof Promise ? generated.then(withChildren, without) : withChildren(generated);
      } catch (error) {
        return without(error); // at once it is the owner's selector that cannot be read
      }
    },
  };
  return reader;
}

function readAll(
  objects: readonly KubeObject[],
  read: (object: KubeObject) => Awaitable<ResourceStatus>,
): Awaitable<readonly ResourceStatus[]> {
  const statuses: ResourceStatus[] = [];
  for (const [at, object] of objects.entries()) {
    const status = read(object);
    if (status instanceof Promise) return readRest(statuses, status, objects.slice(at + 1), read);
    statuses.push(status);
  }
  return statuses.sort(compareResourceStatus);
}

/** Goes on where a child is not told at once; one after another, so that calls keep their order. */
async function readRest(
  statuses: ResourceStatus[],
  next: Promise<ResourceStatus>,
  rest: readonly KubeObject[],
  read: (object: KubeObject) => Awaitable<ResourceStatus>,
): Promise<readonly ResourceStatus[]> {
  statuses.push(await next);
  for (const object of rest) statuses.push(await read(object));
  return statuses.sort(compareResourceStatus);
}

/** An owner of pods that is in progress has failed when pods of it have. */
export function failWithPods(policy: PodFailures): (own: ResourceStatus) => ResourceStatus {
  return (own) => {
    if (own.status !== 'InProgress') return own;
    const failures = own.generated.filter(
      (child) => child.identifier.kind === 'Pod' && child.status === 'Failed' && (policy === 'strict' || !isTransient(child)),
    );
    return failures.length === 0
      ? own
      : { ...own, ...by(own, 'its pods'), status: 'Failed', message: `${failures.length} pods have failed` };
  };
}

/**
 * What the console makes of an owner of pods: in progress, it has failed when pods of it have, and says how the first of them failed.
 * Pods that no node fits yet and those on their way out are left out.
 */
export function failAsPods(own: ResourceStatus): ResourceStatus {
  if (own.status !== 'InProgress') return own;
  const failures = own.generated.filter((child) => child.identifier.kind === 'Pod' && child.status === 'Failed' && !isTransient(child));
  const [first] = failures;
  if (first === undefined) return own;
  const rule = by(own, `its pods: ${first.rule ?? 'kstatus'}`);
  return {
    ...own,
    ...rule,
    status: 'Failed',
    message: `${failures.length === 1 ? '1 pod has' : `${failures.length} pods have`} failed: ${first.message}`,
  };
}

/** What the console makes of a Deployment: in progress, it has failed when its newest ReplicaSet has. Nobody should wait for a deadline to hear of a crash loop. */
export function failAsReplicaSet(own: ResourceStatus): ResourceStatus {
  if (own.status !== 'InProgress' && own.status !== 'Failed') return own;
  const newest = own.generated.reduce<ResourceStatus | undefined>(
    (held, one) => (held === undefined || revisionOf(one) > revisionOf(held) ? one : held),
    undefined,
  );
  if (newest?.status !== 'Failed') return own;
  return {
    ...own,
    ...by(own, `its newest ReplicaSet: ${newest.rule ?? 'kstatus'}`),
    status: 'Failed',
    message: own.status === 'Failed' ? `${own.message}: ${newest.message}` : newest.message,
  };
}

/** Names what told a status, where that is named at all. */
function by(own: ResourceStatus, rule: string): { readonly rule?: string } {
  return own.rule === undefined ? {} : { rule };
}

function revisionOf({ resource }: ResourceStatus): number {
  return Number(resource?.metadata.annotations?.['deployment.kubernetes.io/revision'] ?? 0) || 0;
}

function isTransient({ resource }: ResourceStatus): boolean {
  if (resource === undefined || resource.metadata.deletionTimestamp) return true;
  return isUnschedulable(decodeConditions(resource));
}
