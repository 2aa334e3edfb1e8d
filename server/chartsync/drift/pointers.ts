import type { PathStep } from '@/lib/kube/field-owners';
import { isFields } from '@/lib/kube/fields';
import type { KubeObject, ObjectAddress } from '@/lib/kube/object';
import { indexOfStep } from '@/server/dispatch';
import { differingFields } from './differing-fields';

/** An object of a manifest and where it is. */
export interface Stored {
  readonly manifest: KubeObject;
  readonly at: ObjectAddress;
}

/** Pointers of what differs: into lists as well, up to the entry that is not there. */
export function pathsOf({ manifest, at }: Stored, live: KubeObject): readonly string[] {
  const placed = at.namespace === undefined ? manifest : { ...manifest, metadata: { ...manifest.metadata, namespace: at.namespace } };
  return [...new Set(differingFields(placed, live).map(({ steps }) => toPointer(steps, live)))];
}

function toPointer(steps: readonly PathStep[], live: unknown): string {
  let [pointer, at] = ['', live];
  for (const step of steps) {
    const list = Array.isArray(at) ? at : undefined;
    const index = list === undefined || typeof step === 'string' ? -1 : indexOfStep(list, step);
    if (list !== undefined && index === -1) return pointer;
    pointer += `/${list === undefined ? escapePointer(String(step)) : index}`;
    at = list === undefined ? (isFields(at) && typeof step === 'string' ? at[step] : undefined) : list[index];
  }
  return pointer;
}

const escapePointer = (member: string) => member.replaceAll('~', '~0').replaceAll('/', '~1');
