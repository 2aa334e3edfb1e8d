import type { Freshness } from '@/lib/contract/live';
import type { ObjectStatus, StatusesBody } from '@/lib/contract/object-statuses';
import type { ResourceStatus, StatusSet } from '@/server/status';
import { sentenceOf } from '@/server/status';

/** Statuses are told to many who follow the same objects. */
const TOLD = new WeakMap<ResourceStatus, ObjectStatus>();

/** The status of an object as it is answered. */
export function toObjectStatus(status: ResourceStatus): ObjectStatus {
  const known = TOLD.get(status);
  if (known !== undefined) return known;
  const { group, kind, namespace, name } = status.identifier;
  const told = {
    group,
    kind,
    ns: namespace === '' ? null : namespace,
    name,
    status: status.status,
    message: sentenceOf(status),
    generated: status.generated.map(toObjectStatus),
  };
  TOLD.set(status, told);
  return told;
}

/** The status of a set, and of each object of it. */
export function toStatusesBody(set: StatusSet, freshness: Freshness): StatusesBody {
  return { ...freshness, ...set.judge(), objects: set.statuses().map(toObjectStatus) };
}
