import type { Requirement } from '@/lib/kube/label-selector';
import { meets } from '@/lib/kube/label-selector';
import { labelValue, qualifiedName } from '../kinds/names';
import { badRequest } from './failures';

/** True for the labels it chooses. */
export type LabelMatcher = (labels: Readonly<Record<string, string>>) => boolean;

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

/** Splits into words and signs. */
function tokensOf(text: string): string[] {
  return text.match(/==|!=|[=(),!<>]|[^\s=(),!<>]+/g) ?? [];
}

class Tokens {
  readonly #tokens: string[];
  #at = 0;

  constructor(text: string) {
    this.#tokens = tokensOf(text);
  }

  peek(ahead = 0): string {
    return this.#tokens[this.#at + ahead] ?? '';
  }

  take(): string {
    return this.#tokens[this.#at++] ?? '';
  }

  get done(): boolean {
    return this.#at >= this.#tokens.length;
  }
}

/** Reads a label selector as `?labelSelector=` carries it; refuses a bad one in the API server's words. */
export function parseLabelSelector(text: string | undefined): LabelMatcher {
  if (text === undefined || text.trim() === '') return () => true;
  const tokens = new Tokens(text);
  const requirements: Requirement[] = [];
  while (!tokens.done) {
    const first = tokens.peek();
    if (first !== '!' && SPECIAL.has(first)) throw badRequest(`found '${first}', expected: !, identifier, or 'end of string'`);
    requirements.push(parseRequirement(tokens));
    const next = tokens.take();
    if (next === '') break;
    if (next !== ',') throw badRequest(`found '${next}', expected: ',' or 'end of string'`);
    const after = tokens.peek();
    if (after === '' || (after !== '!' && SPECIAL.has(after))) throw badRequest(`found '${after}', expected: identifier after ','`);
  }
  return (labels) => requirements.every((one) => meets(one, labels));
}

function parseRequirement(tokens: Tokens): Requirement {
  const isNegated = tokens.peek() === '!';
  if (isNegated) tokens.take();
  const key = tokens.take();
  const wrong = qualifiedName(key);
  if (wrong.length > 0) throw badRequest(`unable to parse requirement: <nil>: Invalid value: ${JSON.stringify(key)}: ${wrong.join('; ')}`);
  if (isNegated) return { key, operator: 'DoesNotExist', values: [] };
  const sign = tokens.peek();
  if (sign === '' || sign === ',') return { key, operator: 'Exists', values: [] };
  const operator = OPERATORS.get(sign);
  if (operator === undefined) throw badRequest(`unable to parse requirement: found '${sign}', expected: in, notin, =, ==, !=, gt, lt`);
  tokens.take();
  if (sign === 'in' || sign === 'notin') return { key, operator, values: [...parseValues(tokens, key)] };
  const value = parseExactValue(tokens, key);
  if (['Gt', 'Lt'].includes(operator) && !/^[+-]?\d+$/.test(value)) {
    throw badRequest(`unable to parse requirement: values[0]: Invalid value: ${JSON.stringify(value)}: for 'Gt', 'Lt' operators, the value must be an integer`);
  }
  return { key, operator, values: [value] };
}

function parseExactValue(tokens: Tokens, key: string): string {
  const next = tokens.peek();
  if (next === '' || next === ',') return '';
  if (SPECIAL.has(next)) throw badRequest(`unable to parse requirement: found '${next}', expected: identifier`);
  return checked(tokens.take(), key, 0);
}

function parseValues(tokens: Tokens, key: string): ReadonlySet<string> {
  const open = tokens.take();
  if (open !== '(') throw badRequest(`unable to parse requirement: found '${open}' expected: '('`);
  const values = new Set<string>();
  for (let expectsValue = true; ; ) {
    const next = tokens.take();
    if (next === ')') {
      if (expectsValue) values.add('');
      return values;
    }
    if (next === '') throw badRequest("unable to parse requirement: found '', expected: ',' or ')'");
    if (next === ',') {
      if (expectsValue) values.add('');
      expectsValue = true;
    } else {
      values.add(checked(next, key, values.size));
      expectsValue = false;
    }
  }
}

function checked(value: string, key: string, at: number): string {
  const [wrong] = labelValue(value);
  if (wrong !== undefined) throw badRequest(`unable to parse requirement: values[${at}][${key}]: Invalid value: ${JSON.stringify(value)}: ${wrong}`);
  return value;
}
