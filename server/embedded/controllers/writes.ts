import type { Fields } from '@/lib/kube/fields';
import type { KubeObject, OwnerReference } from '@/lib/kube/object';
import { toAddress } from '@/lib/kube/object';
import { deepEqual } from '@/lib/std/deep-equal';
import type { Instant } from '@/lib/std/instant';
import { toKubeTime } from '@/lib/std/instant';
import { ignoreNotFound } from '@/server/kube';
import type { ControllerHost } from '../host';

/** The owner entry of an object that its controller made. */
export function toControllerReference(owner: KubeObject): OwnerReference {
  const { apiVersion, kind, metadata } = owner;
  return { apiVersion, kind, name: metadata.name ?? '', uid: metadata.uid ?? '', controller: true, blockOwnerDeletion: true };
}

/** Writes the status when it differs from what the object has; answers the object as stored. */
export async function updateStatus(host: ControllerHost, object: KubeObject, status: Fields): Promise<KubeObject> {
  if (deepEqual(object.status, status)) return object;
  return host.cluster.update({ ...object, status }, { subresource: 'status' });
}

/** Deletes exactly this object, in the background; one that is gone already is no fault. */
export async function deleteExactly(host: ControllerHost, object: KubeObject): Promise<void> {
  const { uid } = object.metadata;
  await ignoreNotFound(
    host.cluster.delete(toAddress(object), { propagationPolicy: 'Background', ...(uid ? { preconditions: { uid } } : {}) }),
  );
}

/** Drops members that are zero, false, empty or absent, as Go leaves them out of JSON. */
export function omitEmpty(fields: Fields): Fields {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => {
      if (value === undefined || value === null || value === 0 || value === '' || value === false) return false;
      return !(Array.isArray(value) && value.length === 0);
    }),
  );
}

/** A condition in the order of members in which the original writes it, with a new transition time only when its status changed. */
export interface WrittenCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
  readonly [member: string]: unknown;
}

/** Puts a condition among the others: nothing changes while status and reason stay, and the time moves with the status only. */
export function setCondition(conditions: readonly WrittenCondition[], next: WrittenCondition, now: Instant): readonly WrittenCondition[] {
  const current = conditions.find((condition) => condition.type === next.type);
  if (current && current.status === next.status && current.reason === next.reason) return conditions;
  const lastTransitionTime = current?.status === next.status && current.lastTransitionTime ? current.lastTransitionTime : toKubeTime(now);
  return [...conditions.filter((condition) => condition.type !== next.type), { ...next, lastTransitionTime }];
}
