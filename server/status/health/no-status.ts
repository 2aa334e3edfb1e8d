import { isBuiltInGroup } from '@/lib/kube/built-in-groups';
import type { KubeObject, TypeRef } from '@/lib/kube/object';
import { groupOf } from '@/lib/kube/object';
import type { Instant } from '@/lib/std/instant';
import { toInstant } from '@/lib/std/instant';
import type { ComputeResult } from '../result';
import { current, inProgress } from '../result';
import type { KindFacts } from './kind-facts';

/** How long a kind may be without any status before nobody is taken to report on it. */
const UNREPORTED_MS = 600_000;
/** When a definition that is being read is looked at again. */
const SOON_MS = 1000;

/** A custom resource that never had a status is in progress, unless its kind has none. */
export function readWithoutStatus(object: KubeObject, { statusless, cluster, now, wake }: KindFacts): ComputeResult | undefined {
  if (hasStatus(object)) return undefined;
  if (statusless) return { ...current(`${object.kind} has no status of its own`), rule: 'generic: kind without status' };
  if (isBuiltInGroup(groupOf(object.apiVersion))) return undefined;
  const declared = cluster?.declaresStatus(object);
  if (declared === 'asked') wake?.(toInstant(now + SOON_MS));
  if (declared === false)
    return { ...current(`The definition of ${object.kind} declares no status`), rule: 'generic: definition without status' };
  const end = unreportedFrom(cluster, object);
  if (end !== undefined && end > now) wake?.(end);
  if (end !== undefined && end <= now)
    return { ...current('Resource is current: no controller reports on this kind'), rule: 'generic: no controller reports' };
  return { ...inProgress('NoStatus', `${object.kind} has no status yet`), rule: 'generic: no status' };
}

/** When nobody is taken to report on a kind, should it stay as it is; undefined where that will not be. */
function unreportedFrom(cluster: KindFacts['cluster'], type: TypeRef): Instant | undefined {
  const known = cluster?.statusOfKind(type);
  return known === undefined || known.anyStatus || known.oldest === undefined ? undefined : toInstant(known.oldest + UNREPORTED_MS);
}

/** Whether anything has been told in the status of an object: empty lists, maps and texts are only its form. */
export function hasStatus({ status }: KubeObject): boolean {
  return tells(status);
}

function tells(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return false;
  return typeof value !== 'object' || Object.values(value).some(tells);
}
