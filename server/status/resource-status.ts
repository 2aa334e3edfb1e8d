import type { KubeObject } from '@/lib/kube/object';
import type { ObjMetadata } from './identifier';
import { compareObjMetadata } from './identifier';
import { intOr } from './object-fields';
import type { Status } from './result';

/** Why a status is not known, as plain data. Two errors are the same when their texts are. */
export interface StatusError {
  readonly kind: 'api' | 'noMatch' | 'compute' | 'selector' | 'cache' | 'transport';
  readonly text: string;
  readonly code?: number;
  readonly reason?: string;
}

/** The status of one object with those of its children. */
export interface ResourceStatus {
  readonly identifier: ObjMetadata;
  readonly status: Status;
  readonly message: string;
  /** The rule that gave it, where rules say so. */
  readonly rule?: string;
  /** Who is to tell has not answered yet: a moment later it is another. */
  readonly isPending?: true;
  readonly resource?: KubeObject;
  readonly error?: StatusError;
  readonly generated: readonly ResourceStatus[];
}

/** What pollers and watchers tell. Error is the last one; Sync says that the first listing is complete. */
export type StatusEvent =
  | { readonly type: 'Update'; readonly resource: ResourceStatus }
  | { readonly type: 'Error'; readonly error: StatusError }
  | { readonly type: 'Sync' };

/**
 * Whether a status is worth telling again. Reasons, labels, uid and version do not count, and neither does anything else
 * of the object but its generation.
 */
export function isSameStatus(left: ResourceStatus, right: ResourceStatus): boolean {
  if (left === right) return true;
  return (
    compareObjMetadata(left.identifier, right.identifier) === 0 &&
    left.status === right.status &&
    left.message === right.message &&
    intOr(left.resource, 'metadata.generation', 0) === intOr(right.resource, 'metadata.generation', 0) &&
    left.error?.text === right.error?.text &&
    left.generated.length === right.generated.length &&
    left.generated.every((child, index) => {
      const other = right.generated[index];
      return other !== undefined && isSameStatus(child, other);
    })
  );
}

/** Orders statuses as results are listed. */
export function compareResourceStatus(left: ResourceStatus, right: ResourceStatus): number {
  return compareObjMetadata(left.identifier, right.identifier);
}
