import { deepEqual } from '@/lib/std/deep-equal';
import type { KubeObject } from './object';

/** True where two copies of an object differ in nothing but its status. */
export function differsInStatusOnly(before: KubeObject | undefined, after: KubeObject | undefined): boolean {
  return (
    before !== undefined &&
    after !== undefined &&
    before.metadata.generation === after.metadata.generation &&
    sameBut(before, after, OF_OBJECT) &&
    sameBut(before.metadata, after.metadata, OF_METADATA)
  );
}

const OF_OBJECT: readonly string[] = ['metadata', 'status'];
const OF_METADATA: readonly string[] = ['resourceVersion'];

/** Without a copy of either: every change of every watched object comes by here. */
function sameBut(left: object, right: object, ignored: readonly string[]): boolean {
  const [a, b] = [left, right] as [Record<string, unknown>, Record<string, unknown>]; // of JSON
  for (const key of Object.keys(a)) if (!ignored.includes(key) && !deepEqual(a[key], b[key])) return false;
  for (const key of Object.keys(b)) if (!ignored.includes(key) && b[key] !== undefined && a[key] === undefined) return false;
  return true;
}
