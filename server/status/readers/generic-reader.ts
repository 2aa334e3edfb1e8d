import type { KubeObject } from '@/lib/kube/object';
import type { Awaitable } from '../awaitable';
import type { ClusterReader } from '../cluster/cluster-reader';
import type { GroupKind, ObjMetadata } from '../identifier';
import { toObjMetadata } from '../identifier';
import type { ResourceStatus } from '../resource-status';
import { errorToStatus, toStatusError, unknownStatus } from './status-error';
import type { ComputeStatus, StatusReader } from './status-reader';

const NO_CHILDREN: readonly ResourceStatus[] = [];

/** Judges an object by itself. */
export class GenericStatusReader implements StatusReader {
  readonly #compute: ComputeStatus;
  readonly #supports: (of: GroupKind) => boolean;

  constructor(compute: ComputeStatus, supports: (of: GroupKind) => boolean = () => true) {
    this.#compute = compute;
    this.#supports = supports;
  }

  supports(of: GroupKind): boolean {
    return this.#supports(of);
  }

  readStatus(signal: AbortSignal, reader: ClusterReader, identifier: ObjMetadata): Awaitable<ResourceStatus> {
    return readThenEvaluate(signal, reader, identifier, this);
  }

  readStatusForObject(_signal: AbortSignal, _reader: ClusterReader, object: KubeObject): ResourceStatus {
    return evaluate(object, this.#compute, NO_CHILDREN);
  }
}

/** Fetches an object and hands it to a reader. */
export function readThenEvaluate(
  signal: AbortSignal,
  reader: ClusterReader,
  identifier: ObjMetadata,
  by: StatusReader,
): Awaitable<ResourceStatus> {
  const found = reader.get(signal, identifier);
  if (!(found instanceof Promise)) return by.readStatusForObject(signal, reader, found);
  return found.then(
    (object) => by.readStatusForObject(signal, reader, object),
    (error: unknown) => errorToStatus(error, identifier, signal),
  );
}

/** The object's own status beside those of its children. */
export function evaluate(object: KubeObject, compute: ComputeStatus, generated: readonly ResourceStatus[]): ResourceStatus {
  const identifier = toObjMetadata(object);
  try {
    const { status, message, rule, isPending } = compute(object);
    const more = { ...(rule === undefined ? {} : { rule }), ...(isPending === undefined ? {} : { isPending }) };
    return { identifier, status, message, ...more, resource: object, generated };
  } catch (error) {
    return unknownStatus(identifier, toStatusError(error), object, generated);
  }
}
