import { markAppliedLists } from '@/lib/kube/applied-lists';
import type { KubeObject } from '@/lib/kube/object';

/**
 * The copy of an object that a store keeps: frozen, without managedFields; which of its lists a dispatch wrote stays known. Built by
 * spreading rather than by `delete`, which would turn the metadata of every object into a slow dictionary.
 */
export function toFrozenCopy(object: KubeObject): KubeObject {
  markAppliedLists(object);
  const { managedFields: _dropped, ...metadata } = object.metadata;
  const copy = { ...object, metadata } as KubeObject; // still has kind, apiVersion and metadata
  freezeDeep(copy);
  return copy;
}

// A part that is frozen already came frozen as a whole, from the embedded cluster.
function freezeDeep(value: object): void {
  if (Object.isFrozen(value)) return;
  Object.freeze(value);
  for (const member of Object.values(value)) if (typeof member === 'object' && member !== null) freezeDeep(member);
}
