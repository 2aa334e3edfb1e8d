import type { KubeObject } from '@/lib/kube/object';
import { deepEqual } from '@/lib/std/deep-equal';

// What every write changes, and nobody wishes.
const OF_THE_SERVER: ReadonlySet<string> = new Set(['resourceVersion', 'managedFields']);

/**
 * True when of two versions of an object at most status differs. The server counts every change of anything else but metadata as a
 * generation; of a kind without generations nothing is known.
 */
export function differInStatusOnly(before: KubeObject, after: KubeObject): boolean {
  if (before.metadata.generation === undefined) return false;
  const [left, right]: readonly Readonly<Record<string, unknown>>[] = [before.metadata, after.metadata];
  const members = new Set([...Object.keys(before.metadata), ...Object.keys(after.metadata)]);
  return [...members].every((member) => OF_THE_SERVER.has(member) || deepEqual(left?.[member], right?.[member]));
}
