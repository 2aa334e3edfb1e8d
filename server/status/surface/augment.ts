import type { Fields } from '@/lib/kube/fields';
import { isFields } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import type { Instant } from '@/lib/std/instant';
import { toKubeTime } from '@/lib/std/instant';
import type { ComputeOptions } from '../compute';
import { compute } from '../compute';
import { strictList } from '../object-fields';
import type { ResultCondition } from '../result';
import { ComputeError } from '../result';

/**
 * The object with its status written into its conditions. Entries of the other standard type stay as they are, so an
 * augmented object must never be computed again: it would obey its own past.
 */
export function augment(object: KubeObject, now: Instant, options: ComputeOptions = {}): KubeObject {
  const { conditions: wanted } = compute(object, now, options);
  const at = toKubeTime(now);
  let conditions = strictList(object, 'status.conditions');
  for (const condition of wanted) conditions = setCondition(conditions, condition, at);
  return { ...object, status: { ...requireStatus(object.status), conditions } };
}

function setCondition(conditions: readonly unknown[], wanted: ResultCondition, at: string): readonly unknown[] {
  const entries = conditions.map((entry, index) => requireCondition(entry, index, wanted.type));
  if (!entries.some(({ type }) => type === wanted.type)) return [...entries, { ...wanted, lastTransitionTime: at, lastUpdateTime: at }];
  return entries.map((entry) => {
    if (entry.type !== wanted.type) return entry;
    return { ...entry, ...wanted, lastUpdateTime: at, ...(entry.status === wanted.status ? {} : { lastTransitionTime: at }) };
  });
}

/** An entry of any type must name it; only one of the wanted type must have a status. */
function requireCondition(entry: unknown, index: number, wanted: string): Fields {
  const at = `status.conditions[${index}]`;
  if (!isFields(entry)) throw new ComputeError(`${at} must be a map, found ${JSON.stringify(entry)}`);
  for (const name of entry.type === wanted ? ['type', 'status'] : ['type']) {
    if (typeof entry[name] !== 'string') throw new ComputeError(`${at}.${name} must be a string, found ${JSON.stringify(entry[name])}`);
  }
  return entry;
}

/** The status to write into; none is an empty one, but a null that somebody wrote is no place for conditions. */
function requireStatus(status: unknown): Fields {
  if (status === undefined) return {};
  if (!isFields(status)) throw new ComputeError(`status must be a map, found ${JSON.stringify(status)}`);
  return status;
}
