import { escapeSign, HIDDEN } from '@/lib/std/text/hidden-signs';

/** The text as people see it: each hidden sign as its escape, such as `\u202e`. */
export function showHidden(text: string): string {
  // Most texts have none, and are tested faster than copied.
  return text.search(HIDDEN) < 0 ? text : text.replace(HIDDEN, escapeSign);
}

/** Everything in a value that came as JSON, for who reads it: what has no hidden sign is the same value, not a copy. */
export function showAllHidden<Value>(value: Value): Value {
  return walk(value) as Value; // texts become texts, and everything else stays what it is
}

function walk(value: unknown): unknown {
  if (typeof value === 'string') return showHidden(value);
  if (Array.isArray(value)) {
    const shown = value.map(walk);
    return shown.some((item, at) => item !== value[at]) ? shown : value;
  }
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value);
  const shown = entries.map(([name, member]): [string, unknown] => [showHidden(name), walk(member)]);
  return shown.some(([name, member], at) => name !== entries[at]?.[0] || member !== entries[at]?.[1]) ? Object.fromEntries(shown) : value;
}
