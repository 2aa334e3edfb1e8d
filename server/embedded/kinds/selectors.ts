import { isFields } from '@/lib/kube/fields';

/** True when the labels satisfy a selector of the object form: `matchLabels` and `matchExpressions`. */
export function matchesLabelSelector(selector: Readonly<Record<string, unknown>>, labels: Readonly<Record<string, string>>): boolean {
  const { matchLabels, matchExpressions } = selector;
  const plain = isFields(matchLabels) ? Object.entries(matchLabels) : [];
  const expressions = Array.isArray(matchExpressions) ? matchExpressions.filter(isFields) : [];
  return plain.every(([key, value]) => labels[key] === value) && expressions.every((expression) => matchesExpression(expression, labels));
}

function matchesExpression({ key, operator, values }: Readonly<Record<string, unknown>>, labels: Readonly<Record<string, string>>): boolean {
  const value = labels[String(key)];
  const listed = Array.isArray(values) && value !== undefined && values.includes(value);
  switch (operator) {
    case 'In':
      return listed;
    case 'NotIn':
      return !listed;
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    default:
      return false;
  }
}
