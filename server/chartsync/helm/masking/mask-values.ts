const MASK = '[masked]';
/** Shorter texts are words like `on`, which masked would spoil the sentence and hide nothing. */
const SHORTEST = 4;
/** Fewer signs of base64 are parts of words. */
const SHORTEST_BASE64 = 6;
/** Of a longer value each piece of this length is masked, also where the rest does not follow. */
const PIECE = 64;

/** A text without the values in it: Helm quotes them where a template fails, and no value may stand in an error, a log or an event. */
export function maskValues(text: string, values: unknown): string {
  return maskerOf(values)(text);
}

/** The same for many texts: the values are gone through once, and each text once, however many values there are. */
export function maskerOf(values: unknown): (text: string) => string {
  const leaves = [...new Set(leavesOf(values).flatMap(formsOf).flatMap(piecesOf))].sort();
  return (text) => {
    let masked = '';
    let kept = 0;
    for (let at = 0; at < text.length; at++) {
      let end = endOfLeaf(leaves, text, at);
      if (end === undefined) continue;
      // What overlaps with it is masked as well, or its rest would stand there.
      for (let within = at + 1; within < end; within++) end = Math.max(end, endOfLeaf(leaves, text, within) ?? end);
      masked += text.slice(kept, at) + MASK;
      kept = end;
      at = end - 1;
    }
    return masked + text.slice(kept);
  };
}

/** A value as it is, and as templates and the API server write it: quoted, as JSON, and in base64. */
function formsOf(leaf: string): readonly string[] {
  const quoted = JSON.stringify(leaf).slice(1, -1);
  // Go writes what stands in HTML otherwise, and a line of a log quotes what was quoted.
  const inHtml = quoted.replace(/[<>&\u2028\u2029]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return [leaf, quoted, inHtml, JSON.stringify(quoted).slice(1, -1), ...base64Of(leaf)];
}

/** What base64 has of a value wherever it stands within a text: three ways, without the signs that hang on what surrounds it. */
function base64Of(leaf: string): readonly string[] {
  return [0, 1, 2].flatMap((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(leaf)]);
    const whole = bytes.toString('base64').slice(Math.ceil((before * 4) / 3), Math.floor((bytes.length * 4) / 3));
    return whole.length < SHORTEST_BASE64 ? [] : [whole, whole.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

/**
 * A long value by pieces, each of which overlaps with the next, so that the whole is masked as one. Otherwise each place of a text could be compared with all of
 * it, which takes hours where both are one letter a million times.
 */
function piecesOf(leaf: string): readonly string[] {
  if (leaf.length <= PIECE) return [leaf];
  const pieces: string[] = [];
  for (let at = 0; at + PIECE < leaf.length; at += PIECE - 1) pieces.push(leaf.slice(at, at + PIECE));
  return [...pieces, leaf.slice(-PIECE)];
}

/** Where the longest of the sorted leaves ends that begins at a place of a text; undefined where none does. */
function endOfLeaf(leaves: readonly string[], text: string, from: number): number | undefined {
  let [low, high] = [0, leaves.length];
  let end: number | undefined;
  for (let depth = 0; low < high && from + depth < text.length; depth++) {
    const unit = text.charCodeAt(from + depth);
    // Where the first and the last go on alike, all do.
    if (leaves[low]?.charCodeAt(depth) !== unit || leaves[high - 1]?.charCodeAt(depth) !== unit) {
      low = firstFrom(leaves, { low, high, depth, unit });
      high = firstFrom(leaves, { low, high, depth, unit: unit + 1 });
    }
    // The shortest of those that are left comes first.
    if (low < high && leaves[low]?.length === depth + 1) {
      end = from + depth + 1;
      low++;
    }
  }
  return end;
}

/** The first of the leaves between two places whose unit at a depth is so high, all of them being alike before it. */
function firstFrom(
  leaves: readonly string[],
  { low, high, depth, unit }: { low: number; high: number; readonly depth: number; readonly unit: number },
): number {
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((leaves[middle]?.charCodeAt(depth) ?? 0) < unit) low = middle + 1;
    else high = middle;
  }
  return low;
}

function leavesOf(value: unknown): string[] {
  if (typeof value === 'string') return [value, ...value.split('\n')].filter((text) => text.length >= SHORTEST);
  if (typeof value === 'number' || typeof value === 'bigint')
    return [String(value), withExponent(Number(value))].filter((text) => text.length >= SHORTEST);
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(leavesOf) : [];
}

/** A number as Go writes large and small ones: its exponent has two digits. */
const withExponent = (value: number) => value.toExponential().replace(/(?<=e[+-])\d$/, '0$&');
