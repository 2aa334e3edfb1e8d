import type { Fields } from './fields';
import { readFields, readList, readString } from './fields';
import type { KubeObject } from './object';

export type Labels = Readonly<Record<string, string>>;

/** What a selector wants of one label. */
export interface Requirement {
  readonly key: string;
  readonly operator: string;
  readonly values: readonly unknown[];
}

/** Labels of an object; none is empty. */
export function labelsOf(object: KubeObject): Labels {
  return object.metadata.labels ?? {};
}

/** True when every label of the set is there with that value. An empty set matches everything. */
export function matchesSet(set: Fields, labels: Labels): boolean {
  return Object.entries(set).every(([key, value]) => labels[key] === value);
}

/** True for a selector that asks for nothing; controllers take such a one to select nothing. */
export function isEmptySelector(selector: unknown): boolean {
  return Object.keys(readFields(selector, 'matchLabels')).length === 0 && readList(selector, 'matchExpressions').length === 0;
}

/** Matches `matchLabels` and `matchExpressions` as the original does. */
export function matchesSelector(selector: unknown, labels: Labels): boolean {
  if (!matchesSet(readFields(selector, 'matchLabels'), labels)) return false;
  return readList(selector, 'matchExpressions').every((expression) => matchesExpression(expression, labels));
}

/** True when labels satisfy one expression as it is written: of a label selector, or of a node selector, which may compare numbers too. */
export function matchesExpression(expression: unknown, labels: Labels): boolean {
  const [key = '', operator = ''] = [readString(expression, 'key'), readString(expression, 'operator')];
  return meets({ key, operator, values: readList(expression, 'values') }, labels);
}

/** True when labels meet one requirement; an operator that nobody knows is met by none. */
export function meets({ key, operator, values }: Requirement, labels: Labels): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'Gt':
      return value !== undefined && Number(value) > Number(values[0]);
    case 'Lt':
      return value !== undefined && Number(value) < Number(values[0]);
    default:
      return false;
  }
}
