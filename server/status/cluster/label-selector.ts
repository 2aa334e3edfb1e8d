import { isFields } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';

/** A label selector that cannot be used. */
export class SelectorError extends Error {
  constructor(sentence: string) {
    super(sentence);
    this.name = 'SelectorError';
  }
}

interface Requirement {
  readonly key: string;
  readonly text: string;
  readonly matches: (value: string | undefined) => boolean;
}

/** A selector that was read: its text for the API server, and the same judgement here. */
export interface LabelSelector {
  /** Requirements sorted by key; empty when everything is selected. */
  readonly text: string;
  /** Labels that whatever is selected must have, with their values. */
  readonly pairs: readonly (readonly [key: string, value: string])[];
  matches(labels: Readonly<Record<string, string>> | undefined): boolean;
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
  const { matchLabels = {}, matchExpressions = [] } = selector;
  if (!isFields(matchLabels ?? {})) throw new SelectorError(`matchLabels wants a map, found ${JSON.stringify(matchLabels)}`);
  if (!Array.isArray(matchExpressions ?? [])) throw new SelectorError(`matchExpressions wants a list, found ${JSON.stringify(matchExpressions)}`);
  const pairs = Object.entries(matchLabels ?? {}).map(([key, value]) => [key, requireText(value, `matchLabels.${key}`)] as const);
  const requirements = [...pairs.map(([key, value]) => equals(key, value)), ...((matchExpressions ?? []) as readonly unknown[]).map(parseExpression)].sort(
    (left, right) => (left.key < right.key ? -1 : left.key > right.key ? 1 : 0),
  );
  return {
    text: requirements.map(({ text }) => text).join(','),
    pairs,
    matches: (labels = {}) => requirements.every(({ key, matches }) => matches(Object.hasOwn(labels, key) ? labels[key] : undefined)),
  };
}

function equals(key: string, wanted: string): Requirement {
  return { key, text: `${key}=${wanted}`, matches: (value) => value === wanted };
}

function parseExpression(expression: unknown, index: number): Requirement {
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
