/**
 * Signs that nobody sees, or that turn the direction of what follows: with them a name looks like another one, and a reason says what it does not.
 * Line ends and tabs stay; so do the selectors by which emoji choose their look.
 */
export const HIDDEN = /(?![\n\r\t])(?:[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]|\u034f|\u17b4|\u17b5)/gu;

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

function escapeSign(sign: string): string {
  return Array.from({ length: sign.length }, (_, at) => `\\u${sign.charCodeAt(at).toString(16).padStart(4, '0')}`).join('');
}
