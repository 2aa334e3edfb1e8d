import type { Fields } from '@/lib/kube/fields';
import { isFields, readFields } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import type { Instant } from '@/lib/std/instant';
import { toKubeTime } from '@/lib/std/instant';
import type { ComputeOptions } from './compute';
import { compute } from './compute';
import { strictList } from './object-fields';
import type { ResultCondition } from './result';
import { ComputeError } from './result';

/**
 * The object with its status written into its conditions. Entries of the other standard type stay as they are, so an
 * augmented object must never be computed again: it would obey its own past.
 */
export function augment(object: KubeObject, now: Instant, options: ComputeOptions = {}): KubeObject {
  const { conditions: wanted } = compute(object, now, options);
  const at = toKubeTime(now);
  let conditions = strictList(object, 'status.conditions');
  for (const condition of wanted) conditions = setCondition(conditions, condition, at);
  return { ...object, status: { ...readFields(object, 'status'), conditions } };
}

function setCondition(conditions: readonly unknown[], wanted: ResultCondition, at: string): readonly unknown[] {
  const entries = conditions.map(requireCondition);
  if (!entries.some(({ type }) => type === wanted.type)) return [...entries, { ...wanted, lastTransitionTime: at, lastUpdateTime: at }];
  return entries.map((entry) => {
    if (entry.type !== wanted.type) return entry;
    return { ...entry, ...wanted, lastUpdateTime: at, ...(entry.status === wanted.status ? {} : { lastTransitionTime: at }) };
  });
}

function requireCondition(entry: unknown, index: number): Fields {
  if (!isFields(entry)) throw new ComputeError(`status.conditions[${index}] wants a map, found ${JSON.stringify(entry)}`);
  for (const name of ['type', 'status'] as const) {
    if (typeof entry[name] !== 'string') {
      throw new ComputeError(`status.conditions[${index}].${name} wants a string, found ${JSON.stringify(entry[name])}`);
    }
  }
  return entry;
}
