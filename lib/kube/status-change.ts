import { deepEqual } from '@/lib/std/deep-equal';
import type { KubeObject } from './object';

/** True where two copies of an object differ in nothing but its status. Of a kind without a generation nobody can tell, so it counts as more. */
export function differsInStatusOnly(before: KubeObject | undefined, after: KubeObject | undefined): boolean {
  if (before === undefined || after === undefined || after.metadata.generation === undefined) return false;
  const { generation, uid } = before.metadata;
  return uid === after.metadata.uid && generation === after.metadata.generation && deepEqual(lasting(before), lasting(after));
}

function lasting({ metadata }: KubeObject): object {
  return { ...metadata, resourceVersion: undefined, managedFields: undefined };
}
