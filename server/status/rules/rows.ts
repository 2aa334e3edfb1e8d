import type { Guard, RuleRow, StatusRule } from './rule';

/** Short forms in which the rules of the house are written. What they make is the same data that a team writes in a file. */

type ConditionStatus = 'True' | 'False' | 'Unknown';
type Guards = Guard | readonly Guard[];

const SAID = '{condition.message}';

/** The status is Failed when every guard holds. */
export function failedIf(when: Guards, message: string = SAID, reason?: string): RuleRow {
  return toRow('Failed', { when, message, reason });
}

/** The status is InProgress when every guard holds. */
export function progressingIf(when: Guards, message: string = SAID, reason?: string): RuleRow {
  return toRow('InProgress', { when, message, reason });
}

/** The status is Current when every guard holds. */
export function currentIf(when: Guards, message: string = SAID): RuleRow {
  return toRow('Current', { when, message });
}

/** The reason of an object that its controller has not said anything of. */
export const NOT_OBSERVED = 'NotObserved';

/** The last row of a rule: everything else is InProgress, because its controller has not said anything yet. */
export function unobserved(controller: string): RuleRow {
  return { status: 'InProgress', reason: NOT_OBSERVED, message: `{.kind} has not been reconciled by ${controller}` };
}

function toRow(
  status: RuleRow['status'],
  { when, message, reason }: { readonly when: Guards; readonly message: string; readonly reason?: string | undefined },
): RuleRow {
  return { when: isList(when) ? [...when] : [when], status, message, ...(reason === undefined ? {} : { reason }) };
}

function isList(when: Guards): when is readonly Guard[] {
  return Array.isArray(when);
}

/** Holds when a condition of that type is there, with one of the statuses and reasons where they are given. */
export function condition(type: string, status?: ConditionStatus | readonly ConditionStatus[], reason?: string | readonly string[]): Guard {
  return {
    condition: type,
    ...(status === undefined ? {} : { status: toMutable(status) }),
    ...(reason === undefined ? {} : { reason: toMutable(reason) }),
  };
}

/** Like `condition`, in one of the lists at a path. */
export function conditionAt(at: string, ...seen: Parameters<typeof condition>): Guard {
  return { ...condition(...seen), at } as Guard;
}

/** Holds when a condition of one of those types has that status. */
export function oneCondition(types: readonly string[], status: ConditionStatus | readonly ConditionStatus[]): Guard {
  return { any: types.map((type) => condition(type, status)) };
}

/** Holds when a value at a path is one of those. */
export function is(path: string, ...values: readonly (string | number | boolean)[]): Guard {
  return { path, is: [...values] };
}

/** Holds when there is something at a path. */
export function has(path: string): Guard {
  return { path, present: true };
}

/** Holds when there is nothing at a path. */
export function lacks(path: string): Guard {
  return { path, present: false };
}

/** Holds when the number at a path is smaller than another. */
export function below(path: string, limit: string | number): Guard {
  return { path, below: limit };
}

/** Holds when the number at a path is greater than another. */
export function above(path: string, limit: string | number): Guard {
  return { path, above: limit };
}

export function cel(expression: string): Guard {
  return { cel: expression };
}

export function not(guard: Guard): Guard {
  return { not: guard };
}

export function anyOf(...guards: readonly Guard[]): Guard {
  return { any: [...guards] };
}

function toMutable<T>(value: T | readonly T[]): T | T[] {
  return Array.isArray(value) ? [...value] : (value as T);
}

/** The same rows for several kinds of a group. */
export function rulesFor(group: string, kinds: readonly string[], rows: readonly RuleRow[]): readonly StatusRule[] {
  return kinds.map((kind) => ({ kind: `${group}/${kind}`, rows: [...rows] }));
}
