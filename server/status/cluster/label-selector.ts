import { isFields } from '@/lib/kube/fields';
import type { Labels, Requirement } from '@/lib/kube/label-selector';
import { meets } from '@/lib/kube/label-selector';
import { isLabelKey, isLabelValue } from '@/lib/kube/labels/label-names';
import type { KubeObject } from '@/lib/kube/object';

/** A label selector that cannot be used. */
export class SelectorError extends Error {
  constructor(sentence: string) {
    super(sentence);
    this.name = 'SelectorError';
  }
}

type Pair = readonly [key: string, value: string];

/** What an expression wants of one label. */
interface Expression extends Requirement {
  readonly text: string;
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
  if (!isFields(selector)) throw new SelectorError(`a label selector must be a map, found ${JSON.stringify(selector)}`);
  const matchLabels = selector.matchLabels ?? {};
  const matchExpressions = selector.matchExpressions ?? NO_EXPRESSIONS;
  if (!isFields(matchLabels)) throw new SelectorError(`matchLabels must be a map, found ${JSON.stringify(matchLabels)}`);
  if (!Array.isArray(matchExpressions))
    throw new SelectorError(`matchExpressions must be a list, found ${JSON.stringify(matchExpressions)}`);
  const pairs = Object.entries(matchLabels).map(([key, value]): Pair => [requireKey(key), requireValue(value, `matchLabels.${key}`)]);
  return new Selector(pairs, matchExpressions.length === 0 ? NO_EXPRESSIONS : matchExpressions.map(parseExpression));
}

const NO_EXPRESSIONS: readonly Expression[] = [];

/** A poll reads one of these per owner and asks few for their text. */
class Selector implements LabelSelector {
  readonly pairs: readonly Pair[];
  readonly #expressions: readonly Expression[];
  #text: string | undefined;

  constructor(pairs: readonly Pair[], expressions: readonly Expression[]) {
    this.pairs = pairs;
    this.#expressions = expressions;
  }

  get text(): string {
    this.#text ??= this.#write();
    return this.#text;
  }

  #write(): string {
    const requirements = [...this.pairs.map(([key, value]) => ({ key, text: `${key}=${value}` })), ...this.#expressions];
    return requirements
      .sort((left, right) => (left.key < right.key ? -1 : left.key > right.key ? 1 : 0))
      .map(({ text }) => text)
      .join(',');
  }

  matches(labels: Labels = {}): boolean {
    for (const [key, value] of this.pairs) if (labels[key] !== value) return false; // nothing inherited is a text
    return this.#expressions.every((one) => meets(one, labels));
  }
}

function parseExpression(expression: unknown, index: number): Expression {
  const at = `matchExpressions[${index}]`;
  const given = expression ?? {};
  if (!isFields(given)) throw new SelectorError(`${at} must be a map, found ${JSON.stringify(given)}`);
  const operator = requireText(given.operator, `${at}.operator`);
  if (!Object.hasOwn(TEXT, operator)) throw new SelectorError(`"${operator}" is not a valid label selector operator`);
  const key = requireKey(requireText(given.key, `${at}.key`));
  const list = given.values ?? [];
  if (!Array.isArray(list)) throw new SelectorError(`${at}.values must be a list, found ${JSON.stringify(list)}`);
  const values = list.map((value: unknown) => requireValue(value, `${at}.values`)).sort();
  (operator === 'In' || operator === 'NotIn' ? requireSome : requireNone)(values);
  return { key, operator, values, text: TEXT[operator as keyof typeof TEXT](key, values) }; // one of these, as was seen
}

/** As the API server reads a requirement in a query. */
const TEXT = {
  In: (key: string, values: readonly string[]) => `${key} in (${values.join(',')})`,
  NotIn: (key: string, values: readonly string[]) => `${key} notin (${values.join(',')})`,
  Exists: (key: string) => key,
  DoesNotExist: (key: string) => `!${key}`,
};

/** A text; null reads as an empty one, as it does where API servers decode selectors. */
function requireText(value: unknown, at: string): string {
  const text = value ?? '';
  if (typeof text !== 'string') throw new SelectorError(`${at} must be a string, found ${JSON.stringify(text)}`);
  return text;
}

function requireKey(key: string): string {
  if (!isLabelKey(key)) throw new SelectorError(`"${key}" is not a valid label key`);
  return key;
}

function requireValue(value: unknown, at: string): string {
  const text = requireText(value, at);
  if (!isLabelValue(text)) throw new SelectorError(`${at}: "${text}" is not a valid label value`);
  return text;
}

function requireSome(values: readonly string[]): void {
  if (values.length === 0) throw new SelectorError("for 'in', 'notin' operators, values set can't be empty");
}

function requireNone(values: readonly string[]): void {
  if (values.length > 0) throw new SelectorError('values set must be empty for exists and does not exist');
}
