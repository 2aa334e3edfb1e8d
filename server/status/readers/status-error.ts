import type { KubeObject } from '@/lib/kube/object';
import { getApiStatus, isNotFound, isUnserved } from '@/server/kube';
import { isNoKindMatch, NoKindMatchError } from '../cluster/kind-mapper';
import { SelectorError } from '../cluster/label-selector';
import { isAbortLike, isRateLimited, NotCachedError } from '../cluster/read-errors';
import type { ObjMetadata } from '../identifier';
import type { ResourceStatus, StatusError } from '../resource-status';
import { ComputeError } from '../result';

/** An error as plain data. */
export function toStatusError(error: unknown): StatusError {
  const text = error instanceof Error ? error.message : String(error);
  const status = getApiStatus(error);
  if (status !== undefined) return { kind: 'api', text, code: status.code, reason: status.reason };
  if (isNoKindMatch(error)) return { kind: 'noMatch', text };
  if (error instanceof ComputeError) return { kind: 'compute', text };
  if (error instanceof SelectorError) return { kind: 'selector', text };
  if (error instanceof NotCachedError) return { kind: 'cache', text };
  return { kind: 'transport', text };
}

/** What an error means for the status of an object. The end that the caller asked for is thrown on instead. */
export function errorToStatus(error: unknown, identifier: ObjMetadata, signal: AbortSignal, resource?: KubeObject): ResourceStatus {
  if (isAbortLike(error, signal) || isRateLimited(error)) throw error;
  // That the path is not known says nothing of the object.
  if (!isUnserved(error) && (getApiStatus(error)?.code === 404 || isNotFound(error))) return notFoundStatus(identifier);
  return unknownStatus(identifier, toStatusError(error), resource);
}

/** A kind that is served at no version, not yet or no more. */
export function unservedStatus(identifier: ObjMetadata): ResourceStatus {
  return unknownStatus(identifier, toStatusError(new NoKindMatchError(identifier)));
}

export function notFoundStatus(identifier: ObjMetadata): ResourceStatus {
  return { identifier, status: 'NotFound', message: 'Resource not found', generated: [] };
}

export function unknownStatus(
  identifier: ObjMetadata,
  error: StatusError,
  resource?: KubeObject,
  generated: readonly ResourceStatus[] = [],
): ResourceStatus {
  return { identifier, status: 'Unknown', message: '', error, generated, ...(resource ? { resource } : {}) };
}
