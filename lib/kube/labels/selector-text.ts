import type { Labels, Requirement } from '../label-selector';
import { meets } from '../label-selector';
import { isLabelKey, isLabelValue } from './label-names';

/** Where in a selector what was found cannot stand. */
export type SelectorPlace = 'start' | 'next' | 'after' | 'operator' | 'value' | 'open' | 'close';

/** Why a selector cannot be read: something at a place where it cannot stand, or a key, a value or a number that is none. */
export type SelectorProblem =
  | { readonly kind: 'place'; readonly place: SelectorPlace; readonly found: string; readonly key: string }
  | { readonly kind: 'key'; readonly key: string }
  | { readonly kind: 'value'; readonly key: string; readonly value: string; readonly at: number }
  | { readonly kind: 'number'; readonly key: string; readonly value: string };

/** A requirement as a text asks for it. */
export interface TextRequirement extends Requirement {
  readonly values: readonly string[];
}

export type SelectorReading =
  | { readonly ok: true; readonly requirements: readonly TextRequirement[] }
  | { readonly ok: false; readonly problem: SelectorProblem };

const SPECIAL = new Set(['=', '==', '!=', '(', ')', ',', '!', '>', '<']);
const OPERATORS = new Map([
  ['=', 'In'],
  ['==', 'In'],
  ['!=', 'NotIn'],
  ['in', 'In'],
  ['notin', 'NotIn'],
  ['gt', 'Gt'],
  ['>', 'Gt'],
  ['lt', 'Lt'],
  ['<', 'Lt'],
]);

class Unreadable extends Error {
  readonly problem: SelectorProblem;

  constructor(problem: SelectorProblem) {
    super(problem.kind);
    this.problem = problem;
  }
}

class Tokens {
  readonly #tokens: readonly string[];
  #at = 0;

  constructor(text: string) {
    this.#tokens = text.match(/==|!=|[=(),!<>]|[^\s=(),!<>]+/g) ?? [];
  }

  peek(): string {
    return this.#tokens[this.#at] ?? '';
  }

  take(): string {
    return this.#tokens[this.#at++] ?? '';
  }

  get done(): boolean {
    return this.#at >= this.#tokens.length;
  }
}

/** Reads a label selector as `kubectl -l` and `?labelSelector=` take it: `app=web,tier in (a,b),!old`. */
export function readSelector(text: string): SelectorReading {
  try {
    return { ok: true, requirements: readRequirements(new Tokens(text)) };
  } catch (error) {
    if (error instanceof Unreadable) return { ok: false, problem: error.problem };
    throw error;
  }
}

/** True when labels meet every requirement. */
export function meetsAll(requirements: readonly Requirement[], labels: Labels): boolean {
  return requirements.every((one) => meets(one, labels));
}

/** The text of one requirement, which reads as the same one. */
export function formatRequirement({ key, operator, values }: TextRequirement): string {
  switch (operator) {
    case 'Exists':
      return key;
    case 'DoesNotExist':
      return `!${key}`;
    case 'Gt':
    case 'Lt':
      return `${key}${operator === 'Gt' ? '>' : '<'}${values[0] ?? ''}`;
    default: {
      const isIn = operator === 'In';
      return values.length === 1 ? `${key}${isIn ? '=' : '!='}${values[0]}` : `${key} ${isIn ? 'in' : 'notin'} (${values.join(',')})`;
    }
  }
}

function readRequirements(tokens: Tokens): readonly TextRequirement[] {
  const requirements: TextRequirement[] = [];
  while (!tokens.done) {
    refuseSign(tokens.peek(), 'start');
    requirements.push(readRequirement(tokens));
    const next = tokens.take();
    if (next === '') break;
    if (next !== ',') throw misplaced('after', next, requirements.at(-1)?.key);
    const after = tokens.peek();
    if (after === '') throw misplaced('next', after);
    refuseSign(after, 'next');
  }
  return requirements;
}

function refuseSign(found: string, place: SelectorPlace): void {
  if (found !== '!' && SPECIAL.has(found)) throw misplaced(place, found);
}

function readRequirement(tokens: Tokens): TextRequirement {
  const isNegated = tokens.peek() === '!';
  if (isNegated) tokens.take();
  const key = tokens.take();
  if (!isLabelKey(key)) throw new Unreadable({ kind: 'key', key });
  if (isNegated) return { key, operator: 'DoesNotExist', values: [] };
  const sign = tokens.peek();
  if (sign === '' || sign === ',') return { key, operator: 'Exists', values: [] };
  const operator = OPERATORS.get(sign);
  if (operator === undefined) throw misplaced('operator', sign, key);
  tokens.take();
  if (sign === 'in' || sign === 'notin') return { key, operator, values: readValues(tokens, key) };
  const value = readValue(tokens, key);
  if ((operator === 'Gt' || operator === 'Lt') && !/^[+-]?\d+$/.test(value)) throw new Unreadable({ kind: 'number', key, value });
  return { key, operator, values: [value] };
}

function readValue(tokens: Tokens, key: string): string {
  const next = tokens.peek();
  if (next === '' || next === ',') return '';
  if (SPECIAL.has(next)) throw misplaced('value', next, key);
  return checked({ key, value: tokens.take(), at: 0 });
}

function readValues(tokens: Tokens, key: string): readonly string[] {
  const open = tokens.take();
  if (open !== '(') throw misplaced('open', open, key);
  const values = new Set<string>();
  for (let expectsValue = true; ; ) {
    const next = tokens.take();
    if (next === ')') {
      if (expectsValue) values.add('');
      return [...values];
    }
    if (next === '') throw misplaced('close', next, key);
    if (next === ',') {
      if (expectsValue) values.add('');
      expectsValue = true;
    } else {
      values.add(checked({ key, value: next, at: values.size }));
      expectsValue = false;
    }
  }
}

function checked({ key, value, at }: { readonly key: string; readonly value: string; readonly at: number }): string {
  if (!isLabelValue(value)) throw new Unreadable({ kind: 'value', key, value, at });
  return value;
}

function misplaced(place: SelectorPlace, found: string, key = ''): Unreadable {
  return new Unreadable({ kind: 'place', place, found, key });
}
