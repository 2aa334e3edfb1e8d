import type { KubeObject, OwnerReference } from '@/lib/kube/object';
import { controllerOf } from '@/lib/kube/object';
import { ANNOTATION, TRACKER_TYPE } from './labels';

/** The owner entry a tracker puts on its objects: all six members. */
export function trackerOwner(tracker: { readonly name: string; readonly uid: string }): OwnerReference {
  return { ...TRACKER_TYPE, name: tracker.name, uid: tracker.uid, controller: true, blockOwnerDeletion: true };
}

/**
 * Owners of a manifest with ours first. Other controllers are demoted, an entry with our uid is not kept twice; with
 * `dropTrackerOwners` entries of other trackers go.
 */
export function setOwner(
  owners: readonly OwnerReference[],
  owner: OwnerReference,
  options: { readonly dropTrackerOwners?: boolean } = {},
): OwnerReference[] {
  const rest = owners.filter((entry) => entry.uid !== owner.uid && !(options.dropTrackerOwners && isTrackerLike(entry)));
  return [owner, ...rest.map((entry) => (entry.controller === true ? { ...entry, controller: false } : entry))];
}

function isTrackerLike(owner: OwnerReference): boolean {
  return isTrackerOwner(owner) || (owner.kind === 'ApplicationContext' && owner.apiVersion === 'core.oam.dev/v1alpha2');
}

/** True for the owner entry of a tracker. */
export function isTrackerOwner(owner: OwnerReference): boolean {
  return owner.kind === TRACKER_TYPE.kind && owner.apiVersion === TRACKER_TYPE.apiVersion;
}

/** Why a live object may not be touched by whoever holds one of the uids; undefined when it may. */
export function mustBeControllableByAny(existing: KubeObject | undefined, uids: readonly string[]): string | undefined {
  if (existing === undefined || uids.length === 0) return undefined;
  const controller = controllerOf(existing);
  if (controller === undefined || uids.includes(controller.uid)) return undefined;
  // Objects without the platform's stamp predate it; the original adopts them whoever controls them.
  if (!existing.metadata.annotations?.[ANNOTATION.platformVersion]) return undefined;
  return `existing object is not controlled by any of UID [${uids.map((uid) => JSON.stringify(uid)).join(' ')}]`;
}
