import { escapeCharacter, escapeMoves, HIDDEN } from '@/lib/std/text/hidden-characters';

const LONE_RETURNS = /\r(?!\n)/g;

/** The text as people see it: each hidden sign as its escape, such as `\u202e`. */
export function showHidden(text: string): string {
  // Most texts have none, and are tested faster than copied.
  return text.search(HIDDEN) < 0 ? text : text.replace(HIDDEN, escapeCharacter);
}

/** The text as one line shows it: so that what somebody wrote does not look like a line of ours, or write over one. */
export function showInLine(text: string): string {
  return escapeMoves(showHidden(text));
}

/** A line of somebody's text, as of a file that is compared: its tabs stay. */
export function showTextLine(line: string): string {
  return line.split('\t').map(showInLine).join('\t');
}

/** The text as a terminal shows it: it moves no cursor, turns nothing that follows, and writes over no line. */
export function showInTerminal(text: string): string {
  return showHidden(text).replace(LONE_RETURNS, escapeMoves);
}

/** Everything in a value that came as JSON, for who reads it: what has no hidden sign is the same value, not a copy. */
export function showAllHidden<Value>(value: Value): Value {
  return walk(value, showHidden) as Value; // texts become texts, and everything else stays what it is
}

/** Everything in a value that came as JSON, for who prints lines of it. */
export function showAllInLines<Value>(value: Value): Value {
  return walk(value, showInLine) as Value; // as above
}

function walk(value: unknown, show: (text: string) => string): unknown {
  if (typeof value === 'string') return show(value);
  if (Array.isArray(value)) {
    const shown = value.map((member) => walk(member, show));
    return shown.some((item, at) => item !== value[at]) ? shown : value;
  }
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value);
  const shown = entries.map(([name, member]): [string, unknown] => [show(name), walk(member, show)]);
  return shown.some(([name, member], at) => name !== entries[at]?.[0] || member !== entries[at]?.[1]) ? Object.fromEntries(shown) : value;
}
