import { deepEqual } from '@/lib/std/deep-equal';
import type { KubeObject } from './object';

/** True where two copies of an object differ in nothing but its status. */
export function differsInStatusOnly(before: KubeObject | undefined, after: KubeObject | undefined): boolean {
  return (
    before !== undefined &&
    after !== undefined &&
    before.metadata.generation === after.metadata.generation &&
    deepEqual(lasting(before), lasting(after))
  );
}

function lasting({ metadata, ...object }: KubeObject): object {
  return { ...object, status: undefined, metadata: { ...metadata, resourceVersion: undefined } };
}
