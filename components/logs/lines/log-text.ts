/** A part of a text that matches a search, from and up to a position. */
export type Range = readonly [number, number];

/** A piece of a line as it is drawn: found by the search or not. */
export interface Piece {
  readonly text: string;
  readonly isFound: boolean;
}

const NOT_ASCII = /[^\x20-\x7e]/;
/** Signs that take two columns: of East Asia, and pictures. */
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
const NO_WIDTH = /\p{Mn}|\p{Me}|\ufe0f/u;
const TAB = '    ';

/** A line as it is drawn: a tab takes the same room wherever it stands. */
export function toDisplayText(text: string): string {
  return text.includes('\t') ? text.replaceAll('\t', TAB) : text;
}

/** Where a search is found in a text, upper and lower case alike. */
export function findAll(text: string, search: string): readonly Range[] {
  if (search === '') return [];
  const [where, what] = foldBoth(text, search);
  const found: Range[] = [];
  for (let at = where.indexOf(what); at >= 0; at = where.indexOf(what, at + what.length)) found.push([at, at + what.length]);
  return found;
}

/** True when a text holds what is searched for. */
export function isFound(text: string, search: string): boolean {
  const [where, what] = foldBoth(text, search);
  return where.includes(what);
}

/** A few letters become two when they are made small: then positions would be wrong, and case counts. */
function foldBoth(text: string, search: string): readonly [string, string] {
  const small = text.toLowerCase();
  return small.length === text.length ? [small, search.toLowerCase()] : [text, search];
}

/** Where each row of a text begins that is so many columns wide; the first begins at 0. */
export function breakRows(text: string, columns: number): readonly number[] {
  if (text.length * 2 <= columns) return [0];
  const starts = [0];
  if (!NOT_ASCII.test(text)) {
    for (let at = columns; at < text.length; at += columns) starts.push(at);
    return starts;
  }
  let at = 0;
  let used = 0;
  for (const sign of text) {
    const width = NO_WIDTH.test(sign) ? 0 : WIDE.test(sign) ? 2 : 1;
    if (used + width > columns && at > 0) {
      starts.push(at);
      used = 0;
    }
    used += width;
    at += sign.length;
  }
  return starts;
}

/** The pieces of a text between two positions, those that are found apart from the others. */
export function toPieces(text: string, [from, to]: Range, found: readonly Range[]): readonly Piece[] {
  const pieces: Piece[] = [];
  let at = from;
  for (const [start, end] of found) {
    if (end <= at || start >= to) continue;
    if (start > at) pieces.push({ text: text.slice(at, start), isFound: false });
    const until = Math.min(end, to);
    pieces.push({ text: text.slice(Math.max(start, at), until), isFound: true });
    at = until;
  }
  if (at < to || pieces.length === 0) pieces.push({ text: text.slice(at, to), isFound: false });
  return pieces;
}
