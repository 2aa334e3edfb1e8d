/**
 * JSON whose whole numbers keep all their digits. Beyond 2^53 JavaScript's own numbers stand for their neighbours as well, so such a number
 * is read as a bigint, as long as it is one of 64 bits; Go reads no other exactly. Whatever has none is read and written by JSON itself: a
 * scan of the text for sixteen digits finds them. `JSON.stringify`, which knows no bigint, writes one as a text of its digits (record 0050).
 */

/** Where a number of sixteen digits may stand; also found in some texts, which the second look leaves alone. */
export const SUSPECT = /(?:^|[[:,\s])-?\d{16}/;
/**
 * A text in quotes, taken so that nothing is found in it, or a whole number of sixteen digits and more. A text without an end is taken to the end of all:
 * otherwise each quote in it would be tried as the beginning of one.
 */
export const QUOTED_OR_LONG = /"(?:[^"\\]|\\[\s\S])*(?:"|\\?$)|(?<![\d.eE+-])-?\d{16,}(?![\d.eE])/g;

const LARGEST = 2n ** 63n - 1n;
/** No text begins like this by chance, nor by the will of somebody who has not read this process. */
export const MARK = `\u0000${globalThis.crypto.randomUUID()}:`;
const MARKED = new RegExp(`"${JSON.stringify(MARK).slice(1, -1).replaceAll('\\', '\\\\')}(-?\\d+)"`, 'g');
const QUOTED_MARK = JSON.stringify(MARK).slice(0, -1);

/** Reads JSON; whole numbers beyond 2^53 come as bigint. */
export function parseExact(text: string): unknown {
  return SUSPECT.test(text) ? unmark(JSON.parse(markLong(text))) : (JSON.parse(text) as unknown);
}

/** A text of JSON in which numbers that JSON itself would change are marked, for `unmark`. */
export const markLong = (text: string): string => text.replace(QUOTED_OR_LONG, mark);

const mark = (found: string) => (found.startsWith('"') ? found : `${QUOTED_MARK}${found}"`);

/** Gives marked numbers their value, in place. */
export function unmark(value: unknown): unknown {
  if (typeof value === 'string') return value.startsWith(MARK) ? toNumber(BigInt(value.slice(MARK.length))) : value;
  if (typeof value !== 'object' || value === null) return value;
  const members = value as Record<string, unknown>;
  for (const key of Object.keys(members)) {
    const member = members[key];
    const exact = unmark(member);
    if (exact !== member) members[key] = exact;
  }
  return value;
}

/** A whole number as the API server has it: exact as far as 64 bits go. */
export function toNumber(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) || value > LARGEST || value < -LARGEST - 1n ? number : value;
}

const writing = { marks: false, met: false };

Object.defineProperty(BigInt.prototype, 'toJSON', {
  configurable: true,
  writable: true,
  value(this: bigint): string {
    writing.met = true;
    return writing.marks ? `${MARK}${this}` : String(this);
  },
});

/** Writes JSON; bigints as the numbers they are. */
export function stringifyExact(value: unknown, space?: number): string {
  writing.marks = true;
  writing.met = false;
  try {
    const text = JSON.stringify(value, null, space);
    return writing.met ? text.replace(MARKED, '$1') : text;
  } finally {
    writing.marks = false;
  }
}

/** The first number of a value that only a bigint holds, by its path. */
export function findExact(value: unknown, path = ''): { readonly path: string; readonly value: bigint } | undefined {
  if (typeof value === 'bigint') return { path, value };
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, member] of Object.entries(value)) {
    const found = findExact(member, Array.isArray(value) ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`);
    if (found) return found;
  }
  return undefined;
}

/** Writes JSON for whoever may not write such numbers; `refuse` gives the error for the first of them. */
export function stringifyPlain(value: unknown, refuse: (path: string, found: bigint) => Error): string {
  writing.met = false;
  const text = JSON.stringify(value);
  const found = writing.met ? findExact(value) : undefined;
  if (found) throw refuse(found.path, found.value);
  return text;
}
