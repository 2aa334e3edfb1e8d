/** Classes that Go names, as they stand within brackets. */
const NAMED: Readonly<Record<string, string>> = {
  alnum: 'A-Za-z0-9',
  alpha: 'A-Za-z',
  ascii: '\\x00-\\x7F',
  blank: '\\t ',
  cntrl: '\\x00-\\x1F\\x7F',
  digit: '0-9',
  graph: '!-~',
  lower: 'a-z',
  print: ' -~',
  punct: '!-\\/:-@\\[-`\\{-~',
  space: '\\t\\n\\v\\f\\r ',
  upper: 'A-Z',
  word: 'A-Za-z0-9_',
  xdigit: 'A-Fa-f0-9',
};
/** What means the same where it is escaped and where it is not, and what JavaScript refuses to escape. */
const SYNTAX = '^$\\.*+?()[]{}|/';
const LEADING_FLAGS = /^(\^|\\A)?\(\?([is]+)\)/;
const MAX_KEPT = 1000;

const made = new Map<string, RegExp>();

/** A regular expression as Go writes it, for the same texts in JavaScript; the same pattern is read once. Throws for what is none. */
export function goPattern(pattern: string): RegExp {
  const known = made.get(pattern);
  if (known) return known;
  // Flags of the whole: the anchor before them heeds neither.
  const [, anchor = '', flags = ''] = LEADING_FLAGS.exec(pattern) ?? [];
  const rest = flags === '' ? pattern : anchor + pattern.replace(LEADING_FLAGS, '');
  const read = new RegExp(toJavaScript(rest), [...new Set(`u${flags}`)].join(''));
  if (made.size >= MAX_KEPT) made.clear();
  made.set(pattern, read);
  return read;
}

const PIECE = /\[:([a-z]+):\]|\\[\s\S]|\(\?P<|[\s\S]/g;

function toJavaScript(pattern: string): string {
  let inClass = false;
  return pattern.replace(PIECE, (piece: string, named: string | undefined) => {
    if (piece.startsWith('\\')) return piece.length === 1 ? piece : escaped(piece.charAt(1), inClass);
    if (!inClass) {
      inClass = piece.startsWith('[');
      // A name of a class means one within brackets only.
      return piece === '(?P<' ? '(?<' : piece;
    }
    if (piece === ']') inClass = false;
    return piece === '[' ? '\\[' : (NAMED[named ?? ''] ?? piece);
  });
}

function escaped(char: string, inClass: boolean): string {
  if (!inClass && char === 'A') return '^';
  if (!inClass && char === 'z') return '$';
  if (char === 'a') return '\\x07';
  if (/[A-Za-z0-9]/.test(char) || SYNTAX.includes(char) || (inClass && char === '-')) return `\\${char}`;
  return char;
}
