import { isFields } from '@/lib/kube/fields';
import { ComputeError } from './result';

/** A condition as Compute sees it: four texts, each empty when absent. */
export interface BasicCondition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

const MEMBERS = ['type', 'status', 'reason', 'message'] as const;

/** Decodes `status.conditions`. A malformed list is an error even for kinds that never look at it. */
export function decodeConditions(object: unknown): readonly BasicCondition[] {
  const status = isFields(object) ? object.status : undefined;
  if (status === undefined || status === null) return [];
  if (!isFields(status)) throw new ComputeError(`status wants a map, found ${JSON.stringify(status)}`);
  const list = status.conditions;
  if (list === undefined || list === null) return [];
  if (!Array.isArray(list)) throw new ComputeError(`status.conditions wants a list, found ${JSON.stringify(list)}`);
  return list.map(decodeCondition);
}

function decodeCondition(entry: unknown, index: number): BasicCondition {
  if (entry !== null && !isFields(entry)) throw new ComputeError(`status.conditions[${index}] wants a map, found ${JSON.stringify(entry)}`);
  const decoded = { type: '', status: '', reason: '', message: '' };
  for (const name of MEMBERS) {
    const value = entry?.[name];
    if (value === undefined || value === null) continue;
    if (typeof value !== 'string') throw new ComputeError(`status.conditions[${index}].${name} wants a string, found ${JSON.stringify(value)}`);
    decoded[name] = value;
  }
  return decoded;
}

/** True when a condition of that type has that status. */
export function hasCondition(conditions: readonly BasicCondition[], type: string, status: string): boolean {
  return conditions.some((condition) => condition.type === type && condition.status === status);
}
