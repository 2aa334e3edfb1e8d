import { Environment } from '@marcbachmann/cel-js';
import type { Fields } from '@/lib/kube/fields';
import { isFields } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import { ComputeError } from '../result';
import { compileAlternatives, compilePath, isPresent } from './field-path';
import type { ConditionGuard, Guard, PathGuard } from './rule';

/** What made a guard hold: the condition, for guards that look for one. */
export interface Match {
  readonly condition?: Fields;
}

/** Tells whether an object passes, and by what; undefined when it does not. */
export type CompiledGuard = (object: KubeObject) => Match | undefined;

const HELD: Match = {};

/** Compiles a guard. Throws, with a sentence, for a path or an expression that does not parse. */
export function compileGuard(guard: Guard): CompiledGuard {
  if ('condition' in guard) return compileCondition(guard);
  if ('path' in guard) return compileComparison(guard);
  if ('cel' in guard) return compileCel(guard.cel);
  if ('not' in guard) {
    const inner = compileGuard(guard.not);
    return (object) => (inner(object) === undefined ? HELD : undefined);
  }
  const inner = guard.any.map(compileGuard);
  return (object) => {
    for (const one of inner) {
      const match = one(object);
      if (match !== undefined) return match;
    }
    return undefined;
  };
}

/** Compiles guards that must all hold; the first condition among them is the one that messages speak of. */
export function compileGuards(guards: readonly Guard[]): CompiledGuard {
  const compiled = guards.map(compileGuard);
  return (object) => {
    let match = HELD;
    for (const guard of compiled) {
      const found = guard(object);
      if (found === undefined) return undefined;
      if (match.condition === undefined) match = found;
    }
    return match;
  };
}

function compileCondition({ condition: type, status, reason, at = '.status.conditions', stale }: ConditionGuard): CompiledGuard {
  const read = compilePath(at);
  const statuses: readonly unknown[] | undefined = toList(status);
  const reasons: readonly unknown[] | undefined = toList(reason);
  const matches = (condition: Fields, generation: unknown) =>
    condition.type === type &&
    (statuses === undefined || statuses.includes(condition.status)) &&
    (reasons === undefined || reasons.includes(condition.reason)) &&
    (stale === undefined || stale === isStale(condition, generation));
  return (object) => {
    for (const list of read(object)) {
      if (!Array.isArray(list)) continue;
      const found = list.find((condition): condition is Fields => isFields(condition) && matches(condition, object.metadata.generation));
      if (found !== undefined) return { condition: found };
    }
    return undefined;
  };
}

function isStale({ observedGeneration }: Fields, generation: unknown): boolean {
  return typeof observedGeneration === 'number' && typeof generation === 'number' && observedGeneration !== generation;
}

function compileComparison({ path, present, is, below, above }: PathGuard): CompiledGuard {
  const read = compilePath(path);
  const wanted: readonly unknown[] | undefined = toList<string | number | boolean>(is);
  if (present !== undefined) return (object) => (read(object).some(isPresent) === present ? HELD : undefined);
  if (wanted !== undefined) return (object) => (read(object).some((value) => wanted.includes(value)) ? HELD : undefined);
  const limit = compileNumber(below ?? above ?? 0);
  return (object) => {
    const difference = toNumber(read(object)[0]) - limit(object);
    return (below === undefined ? difference > 0 : difference < 0) ? HELD : undefined;
  };
}

function compileNumber(operand: string | number): (object: KubeObject) => number {
  if (typeof operand === 'number') return () => operand;
  const read = compileAlternatives(operand);
  return (object) => toNumber(read(object)[0]);
}

/** Controllers leave out what is zero. */
function toNumber(value: unknown): number {
  const number = typeof value === 'string' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : 0;
}

const environment = new Environment({ unlistedVariablesAreDyn: true }).registerVariable('object', 'dyn');
const ABSENT = /^No such key/;

function compileCel(expression: string): CompiledGuard {
  let program: (variables: { readonly object: KubeObject }) => unknown;
  try {
    program = environment.parse(expression) as typeof program;
  } catch (error) {
    throw new Error(`wants a CEL expression, found ${JSON.stringify(expression)}: ${firstLine(error)}`);
  }
  return (object) => {
    try {
      return program({ object }) === true ? HELD : undefined;
    } catch (error) {
      const sentence = firstLine(error);
      if (ABSENT.test(sentence)) return undefined; // what an object lacks makes no expression hold, and has() would only repeat the path
      throw new ComputeError(`the rule ${JSON.stringify(expression)} cannot be told of this object: ${sentence}`);
    }
  };
}

function firstLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.split('\n', 1)[0] ?? message;
}

function toList<T>(value: T | readonly T[] | undefined): readonly T[] | undefined {
  return value === undefined || Array.isArray(value) ? (value as readonly T[] | undefined) : [value as T];
}
