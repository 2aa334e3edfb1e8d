/** Tells whether a value is nested deeper than so many levels; level by level, so that no depth is too deep to be told of. */
export function isNestedDeeper(value: unknown, most: number): boolean {
  let level: readonly unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    level = level.filter((one) => typeof one === 'object' && one !== null);
    if (depth >= most && level.length > 0) return true;
    level = level.flatMap((one) => Object.values(one as object));
  }
  return false;
}

/** So deep may applications lie in each other; what lies deeper would not be looked at when it is asked who may put what. */
export const DEEPEST_APPLICATION = 5;

/**
 * So many levels of what the cluster keeps are read; an API server keeps ten thousand, by which whatever calls itself for each level runs out of stack.
 * More than `--max-depth` allows and than an Application may have, so that what is cut is refused by its depth wherever levels are counted.
 */
export const MAX_READ_LEVELS = 600;

const [QUOTE, BACKSLASH, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [...'"\\[]{}'].map((sign) => sign.charCodeAt(0));

/** Counts the levels of JSON that comes in pieces, without parsing it. */
export class JsonDepth {
  readonly #most: number;
  #levels = 0;
  #isInText = false;
  /** The piece before ended in the middle of an escape. */
  #isEscaped = false;

  constructor(most: number) {
    this.#most = most;
  }

  /** Takes the next piece; true once there are more levels. Bytes may come as Latin-1: no sign that counts is part of another one. */
  take(piece: string): boolean {
    let at = this.#isEscaped ? 1 : 0;
    this.#isEscaped = false;
    while (at < piece.length) {
      if (this.#isInText) {
        at = this.#leaveText(piece, at);
        continue;
      }
      const sign = piece.charCodeAt(at++);
      if (sign === QUOTE) this.#isInText = true;
      else if (sign === CLOSE_LIST || sign === CLOSE_OBJECT) this.#levels--;
      else if ((sign === OPEN_LIST || sign === OPEN_OBJECT) && ++this.#levels > this.#most) return true;
    }
    return false;
  }

  /** Where the text goes on behind the quote that ends what is in quotes. */
  #leaveText(piece: string, from: number): number {
    for (let at = from; at < piece.length; ) {
      const quote = piece.indexOf('"', at);
      const end = quote < 0 ? piece.length : quote;
      let slashes = 0;
      while (end - slashes > at && piece.charCodeAt(end - slashes - 1) === BACKSLASH) slashes++;
      const isEscaped = slashes % 2 === 1;
      if (quote < 0) {
        this.#isEscaped = isEscaped;
        return end;
      }
      at = end + 1;
      if (!isEscaped) {
        this.#isInText = false;
        return at;
      }
    }
    return piece.length;
  }
}
