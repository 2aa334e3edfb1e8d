import type { KubeObject } from '@/lib/kube/object';
import type { ClusterReader } from '../cluster/cluster-reader';
import type { GroupKind, ObjMetadata } from '../identifier';
import type { ResourceStatus } from '../resource-status';
import type { ComputeResult } from '../result';

/** Tells the status of objects of some kinds. Everything that goes wrong becomes a status; only an end that the caller asked for is thrown. */
export interface StatusReader {
  supports(of: GroupKind): boolean;
  readStatus(signal: AbortSignal, reader: ClusterReader, identifier: ObjMetadata): Promise<ResourceStatus>;
  readStatusForObject(signal: AbortSignal, reader: ClusterReader, object: KubeObject): Promise<ResourceStatus>;
}

/** Compute with its clock and rules filled in. */
export type ComputeStatus = (object: KubeObject) => ComputeResult;
