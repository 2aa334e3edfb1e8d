import { isFields } from '@/lib/kube/fields';
import { ComputeError } from './result';

/** A condition as Compute sees it: four texts, each empty when absent. */
export interface BasicCondition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

/** Decodes `status.conditions`. A malformed list is an error even for kinds that never look at it. */
export function decodeConditions(object: unknown): readonly BasicCondition[] {
  const status = isFields(object) ? object.status : undefined;
  if (status === undefined || status === null) return [];
  if (!isFields(status)) throw new ComputeError(`status must be a map, found ${JSON.stringify(status)}`);
  const list = status.conditions;
  if (list === undefined || list === null) return [];
  if (!Array.isArray(list)) throw new ComputeError(`status.conditions must be a list, found ${JSON.stringify(list)}`);
  return list.map(decodeCondition);
}

function decodeCondition(entry: unknown, index: number): BasicCondition {
  if (entry !== null && !isFields(entry))
    throw new ComputeError(`status.conditions[${index}] must be a map, found ${JSON.stringify(entry)}`);
  return {
    type: textOf(entry?.type, 'type', index),
    status: textOf(entry?.status, 'status', index),
    reason: textOf(entry?.reason, 'reason', index),
    message: textOf(entry?.message, 'message', index),
  };
}

function textOf(value: unknown, name: string, index: number): string {
  if (typeof value === 'string') return value;
  if (value === undefined || value === null) return '';
  throw new ComputeError(`status.conditions[${index}].${name} must be a string, found ${JSON.stringify(value)}`);
}

/** True when a condition of that type has that status. */
export function hasCondition(conditions: readonly BasicCondition[], type: string, status: string): boolean {
  return conditions.some((condition) => condition.type === type && condition.status === status);
}

/** Reads a list of conditions for what it holds: what is no condition is left out, and a boolean status stands for its word. */
export function looseConditions(list: unknown): readonly BasicCondition[] {
  if (!Array.isArray(list)) return [];
  return list.filter(isFields).map(({ type, status, reason, message }) => ({
    type: looseText(type),
    status: typeof status === 'boolean' ? (status ? 'True' : 'False') : looseText(status),
    reason: looseText(reason),
    message: looseText(message),
  }));
}

function looseText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
