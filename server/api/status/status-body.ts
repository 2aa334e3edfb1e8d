import type { Freshness } from '@/lib/contract/live';
import type { ObjectStatus, StatusesBody } from '@/lib/contract/object-statuses';
import type { Instant } from '@/lib/std/instant';
import type { ResourceStatus, Statuses, StatusSet } from '@/server/status';
import { sentenceOf } from '@/server/status';

/** What tells how an object is known, at which moment. */
export interface ProvenanceContext extends Pick<Statuses, 'provenanceOf'> {
  readonly now: Instant;
}

/** The status of an object as it is answered. */
export function toObjectStatus(status: ResourceStatus, looking: ProvenanceContext): ObjectStatus {
  const { group, kind, namespace, name } = status.identifier;
  const sight = looking.provenanceOf(status);
  return {
    group,
    kind,
    ns: namespace === '' ? null : namespace,
    name,
    status: status.status,
    message: sentenceOf(status),
    rule: status.rule ?? null,
    source: sight?.source ?? null,
    ageSeconds: sight === undefined ? null : Math.max(0, Math.round((looking.now - sight.at) / 1000)),
    generated: status.generated.map((one) => toObjectStatus(one, looking)),
  };
}

/** The status of a set, and of each object of it. */
export function toStatusesBody(set: StatusSet, freshness: Freshness, looking: ProvenanceContext): StatusesBody {
  return { ...freshness, ...set.evaluate(), objects: set.statuses().map((one) => toObjectStatus(one, looking)) };
}
