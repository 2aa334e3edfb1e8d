import type { KubeObject } from '@/lib/kube/object';
import type { Awaitable } from '../awaitable';
import type { ClusterReader } from '../cluster/cluster-reader';
import type { GroupKind, ObjMetadata } from '../identifier';
import type { ResourceStatus } from '../resource-status';
import type { ComputeResult } from '../result';

/** Tells the status of objects of some kinds. Everything that goes wrong becomes a status; only an end that the caller asked for is thrown. */
export interface StatusReader {
  supports(of: GroupKind): boolean;
  readStatus(signal: AbortSignal, reader: ClusterReader, identifier: ObjMetadata): Awaitable<ResourceStatus>;
  readStatusForObject(signal: AbortSignal, reader: ClusterReader, object: KubeObject): Awaitable<ResourceStatus>;
}

/** Compute with its clock and rules filled in. */
export type ComputeStatus = (object: KubeObject) => ComputeResult;
