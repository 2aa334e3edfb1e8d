import { isFields } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';

/** A label selector that cannot be used. */
export class SelectorError extends Error {
  constructor(sentence: string) {
    super(sentence);
    this.name = 'SelectorError';
  }
}

type Labels = Readonly<Record<string, string>>;
type Pair = readonly [key: string, value: string];

/** What an expression wants of one label. */
interface Expression {
  readonly key: string;
  readonly text: string;
  readonly matches: (value: string | undefined) => boolean;
}

/** A selector that was read: its text for the API server, and the same judgement here. */
export interface LabelSelector {
  /** Requirements sorted by key; empty when everything is selected. */
  readonly text: string;
  /** Labels that whatever is selected must have, with their values. */
  readonly pairs: readonly Pair[];
  matches(labels: Labels | undefined): boolean;
}

/** Reads `spec.selector` of an owner. An empty one selects everything; none at all is an error. */
export function readOwnerSelector(owner: KubeObject): LabelSelector {
  const selector = isFields(owner.spec) ? owner.spec.selector : undefined;
  if (selector === undefined) throw new SelectorError('no selector found');
  return parseLabelSelector(selector);
}

/** Reads a label selector of labels and expressions. */
export function parseLabelSelector(selector: unknown): LabelSelector {
  if (!isFields(selector)) throw new SelectorError(`a label selector wants a map, found ${JSON.stringify(selector)}`);
  const matchLabels = selector.matchLabels ?? {};
  const matchExpressions = selector.matchExpressions ?? NO_EXPRESSIONS;
  if (!isFields(matchLabels)) throw new SelectorError(`matchLabels wants a map, found ${JSON.stringify(matchLabels)}`);
  if (!Array.isArray(matchExpressions)) throw new SelectorError(`matchExpressions wants a list, found ${JSON.stringify(matchExpressions)}`);
  const pairs = Object.entries(matchLabels);
  for (const [key, value] of pairs) requireText(value, `matchLabels.${key}`);
  return new Selector(pairs as [string, string][], matchExpressions.length === 0 ? NO_EXPRESSIONS : matchExpressions.map(parseExpression));
}

const NO_EXPRESSIONS: readonly Expression[] = [];

/** A poll reads one of these per owner and asks few for their text. */
class Selector implements LabelSelector {
  readonly pairs: readonly Pair[];
  readonly #expressions: readonly Expression[];

  constructor(pairs: readonly Pair[], expressions: readonly Expression[]) {
    this.pairs = pairs;
    this.#expressions = expressions;
  }

  get text(): string {
    const requirements = [...this.pairs.map(([key, value]) => ({ key, text: `${key}=${value}` })), ...this.#expressions];
    return requirements
      .sort((left, right) => (left.key < right.key ? -1 : left.key > right.key ? 1 : 0))
      .map(({ text }) => text)
      .join(',');
  }

  matches(labels: Labels = {}): boolean {
    for (const [key, value] of this.pairs) if (labels[key] !== value) return false; // nothing inherited is a text
    for (const { key, matches } of this.#expressions) if (!matches(Object.hasOwn(labels, key) ? labels[key] : undefined)) return false;
    return true;
  }
}

function parseExpression(expression: unknown, index: number): Expression {
  if (!isFields(expression)) throw new SelectorError(`matchExpressions[${index}] wants a map, found ${JSON.stringify(expression)}`);
  const key = requireText(expression.key, `matchExpressions[${index}].key`);
  const operator = requireText(expression.operator ?? '', `matchExpressions[${index}].operator`);
  const values = Array.isArray(expression.values)
    ? expression.values.map((value: unknown) => requireText(value, `matchExpressions[${index}].values`)).sort()
    : [];
  switch (operator) {
    case 'In':
      return { key, text: `${key} in (${requireSome(values)})`, matches: (value) => value !== undefined && values.includes(value) };
    case 'NotIn':
      return { key, text: `${key} notin (${requireSome(values)})`, matches: (value) => value === undefined || !values.includes(value) };
    case 'Exists':
      requireNone(values);
      return { key, text: key, matches: (value) => value !== undefined };
    case 'DoesNotExist':
      requireNone(values);
      return { key, text: `!${key}`, matches: (value) => value === undefined };
    default:
      throw new SelectorError(`"${operator}" is not a valid label selector operator`);
  }
}

function requireText(value: unknown, at: string): string {
  if (typeof value !== 'string') throw new SelectorError(`${at} wants a string, found ${JSON.stringify(value)}`);
  return value;
}

function requireSome(values: readonly string[]): string {
  if (values.length === 0) throw new SelectorError("for 'in', 'notin' operators, values set can't be empty");
  return values.join(',');
}

function requireNone(values: readonly string[]): void {
  if (values.length > 0) throw new SelectorError('values set must be empty for exists and does not exist');
}
