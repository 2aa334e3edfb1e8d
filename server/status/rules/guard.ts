import { Environment } from '@marcbachmann/cel-js';
import type { Fields } from '@/lib/kube/fields';
import { isFields } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import { parseDurationMs } from '@/lib/std/duration';
import type { Instant } from '@/lib/std/instant';
import { parseInstant, toInstant } from '@/lib/std/instant';
import type { RecheckAt } from '../kind-rule';
import { ComputeError } from '../result';
import { compileAlternatives, compilePath, isPresent } from './field-path';
import type { ConditionGuard, Guard, PathGuard, TimeGuard } from './rule';

/** What made a guard hold: the condition, for guards that look for one. */
export interface Match {
  readonly condition?: Fields;
}

/** When an object is looked at; `wake` hears when a guard will tell otherwise. */
export interface EvaluationTime {
  readonly now: Instant;
  readonly wake?: RecheckAt | undefined;
}

/** Tells whether an object passes, and by what; undefined when it does not. */
export type CompiledGuard = (object: KubeObject, moment: EvaluationTime) => Match | undefined;

const HELD: Match = {};

/** Compiles a guard. Throws, with a sentence, for a path or an expression that does not parse. */
export function compileGuard(guard: Guard): CompiledGuard {
  if ('condition' in guard) return compileCondition(guard);
  if ('path' in guard) return compileComparison(guard);
  if ('since' in guard) return compileTime(guard);
  if ('cel' in guard) return compileCel(guard.cel);
  if ('not' in guard) {
    const inner = compileGuard(guard.not);
    return (object, moment) => (inner(object, moment) === undefined ? HELD : undefined);
  }
  const inner = guard.any.map(compileGuard);
  return (object, moment) => {
    for (const one of inner) {
      const match = one(object, moment);
      if (match !== undefined) return match;
    }
    return undefined;
  };
}

/**
 * Compiles guards that must all hold; the first condition among them is the one that messages speak of. Those that read the time are
 * asked last, so that nobody is woken for a row that cannot hold.
 */
export function compileGuards(guards: readonly Guard[]): CompiledGuard {
  const ordered = [...guards.filter((guard) => !readsTime(guard)), ...guards.filter(readsTime)];
  const compiled = ordered.map(compileGuard);
  return (object, moment) => {
    let match = HELD;
    for (const guard of compiled) {
      const found = guard(object, moment);
      if (found === undefined) return undefined;
      if (match.condition === undefined) match = found;
    }
    return match;
  };
}

/** Whether time goes into what a guard tells. */
export function readsTime(guard: Guard): boolean {
  if ('not' in guard) return readsTime(guard.not);
  if ('any' in guard) return guard.any.some(readsTime);
  return 'since' in guard || ('condition' in guard && guard.for !== undefined);
}

/** Whether a time has passed; before it has, whoever asked is woken then. */
function hasPassed(since: unknown, graceMs: number, { now, wake }: EvaluationTime): boolean {
  const start = parseInstant(since);
  if (start === undefined || start + graceMs <= now) return true;
  wake?.(toInstant(start + graceMs));
  return false;
}

function compileTime({ since, after }: TimeGuard): CompiledGuard {
  const read = compileAlternatives(since);
  const graceMs = parseDurationMs(after) ?? 0;
  return (object, moment) => (hasPassed(read(object)[0], graceMs, moment) ? HELD : undefined);
}

function compileCondition({
  condition: type,
  status,
  reason,
  at = '.status.conditions',
  stale,
  for: lasting,
}: ConditionGuard): CompiledGuard {
  const graceMs = parseDurationMs(lasting ?? '0') ?? 0;
  const read = compilePath(at);
  const statuses: readonly unknown[] | undefined = toList(status);
  const reasons: readonly unknown[] | undefined = toList(reason);
  const matches = (condition: Fields, generation: unknown) =>
    condition.type === type &&
    (statuses === undefined || statuses.includes(condition.status)) &&
    (reasons === undefined || reasons.includes(condition.reason)) &&
    (stale === undefined || stale === isStale(condition, generation));
  const lasts = ({ lastTransitionTime }: Fields, moment: EvaluationTime) =>
    lasting === undefined || hasPassed(lastTransitionTime, graceMs, moment);
  return (object, moment) => {
    for (const list of read(object)) {
      const found = toConditions(list).find(
        (condition): condition is Fields =>
          isFields(condition) && matches(condition, object.metadata?.generation) && lasts(condition, moment),
      );
      if (found !== undefined) return { condition: found };
    }
    return undefined;
  };
}

/** A list, or a text that holds one: an annotation in which an older version keeps what its status has no field for. */
function toConditions(found: unknown): readonly unknown[] {
  if (typeof found !== 'string') return Array.isArray(found) ? found : [];
  try {
    const parsed: unknown = JSON.parse(found);
    return Array.isArray(parsed) ? parsed : [];
  } catch {
    return []; // a text that is no list tells nothing, like a status without conditions
  }
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

const environment = new Environment({ unlistedVariablesAreDyn: true })
  .registerVariable('object', 'dyn')
  .registerFunction('list.sum(): double', sumOf);

/** The sum of a list of numbers, as the CEL of Kubernetes has it. */
function sumOf(list: Iterable<unknown>): number {
  let sum = 0;
  for (const one of list) {
    if (typeof one !== 'number' && typeof one !== 'bigint') throw new Error(`sum() takes numbers, found ${JSON.stringify(one)}`);
    sum += Number(one);
  }
  return sum;
}

const ABSENT = /^No such key/;

function compileCel(expression: string): CompiledGuard {
  let program: (variables: { readonly object: KubeObject }) => unknown;
  try {
    program = environment.parse(expression) as typeof program;
  } catch (error) {
    throw new Error(`must be a CEL expression, found ${JSON.stringify(expression)}: ${firstLine(error)}`);
  }
  return (object) => {
    try {
      return program({ object }) === true ? HELD : undefined;
    } catch (error) {
      const sentence = firstLine(error);
      if (ABSENT.test(sentence)) return undefined; // what an object lacks makes no expression hold, and has() would only repeat the path
      throw new ComputeError(`the rule ${JSON.stringify(expression)} cannot be evaluated for this object: ${sentence}`);
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
