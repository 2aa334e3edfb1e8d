import { DISPATCH_MANAGER } from '@/lib/kube/applied-lists';

/** Managed fields with this are kept: which lists a dispatch wrote is read from them. */
const DISPATCHED = Buffer.from(JSON.stringify(DISPATCH_MANAGER));

/**
 * Cuts the text of a list into its items, so that each is parsed by itself: between two of them others have their turn, and managedFields,
 * often half of the text, are never parsed at all, those of objects that a dispatch wrote aside. Yields the text of each item in order;
 * returns the text with no item in it, or undefined where the text is no list as an API server writes it, and then what was yielded means
 * nothing.
 */
export function* splitList(bytes: Buffer, omitManagedFields: boolean): Generator<string, string | undefined> {
  const cursor = new Cursor(bytes);
  let items: Span | undefined;
  if (!cursor.take(OPEN_BRACE)) return undefined;
  do {
    const key = cursor.takeKey();
    if (key === 'items') {
      if (items) return undefined;
      items = yield* cutItems(cursor, omitManagedFields);
      if (!items) return undefined;
    } else if (key === undefined || !cursor.skipValue()) return undefined;
  } while (cursor.take(COMMA));
  return items && cursor.take(CLOSE_BRACE) && cursor.isAtEnd() ? textOf(bytes, 0, bytes.length, items) : undefined;
}

/** Yields the text of each; returns where they stand between their brackets, or undefined where they are no array. */
function* cutItems(cursor: Cursor, omitManagedFields: boolean): Generator<string, Span | undefined> {
  if (!cursor.take(OPEN_BRACKET)) return undefined;
  const from = cursor.at;
  if (cursor.take(CLOSE_BRACKET)) return { from, to: cursor.at - 1 };
  do {
    const item = cursor.takeItem(omitManagedFields);
    if (item === undefined) return undefined;
    yield item;
  } while (cursor.take(COMMA));
  return cursor.take(CLOSE_BRACKET) ? { from, to: cursor.at - 1 } : undefined;
}

const TAB = 9;
const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const SPACE = 32;
const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const OPEN_BRACKET = 91;
const BACKSLASH = 92;
const CLOSE_BRACKET = 93;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;

interface Span {
  readonly from: number;
  readonly to: number;
}

const textOf = (bytes: Buffer, from: number, to: number, without: Span) =>
  bytes.toString('utf8', from, without.from) + bytes.toString('utf8', without.to, to);

/** Goes through JSON without making anything of it. What it takes for a value JSON itself may still refuse, when it parses it. */
class Cursor {
  at = 0;
  readonly #bytes: Buffer;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** Takes the next character if it is this one; white space before it goes too. */
  take(byte: number): boolean {
    const isNext = this.#comesNext(byte);
    if (isNext) this.at++;
    return isNext;
  }

  isAtEnd(): boolean {
    this.#skipSpace();
    return this.at >= this.#bytes.length;
  }

  /** Takes a key and its colon; the key as it is written. */
  takeKey(): string | undefined {
    if (!this.take(QUOTE)) return undefined;
    const from = this.at;
    if (!this.#skipText()) return undefined;
    const key = this.#bytes.toString('latin1', from, this.at - 1);
    return this.take(COLON) ? key : undefined;
  }

  /** Takes an item of a list, and answers its text. */
  takeItem(omitManagedFields: boolean): string | undefined {
    this.#skipSpace();
    const from = this.at;
    if (!omitManagedFields || this.#bytes[from] !== OPEN_BRACE)
      return this.skipValue() ? this.#bytes.toString('utf8', from, this.at) : undefined;
    const found: Span[] = [];
    const isWhole = this.#eachMember((key) => (key === 'metadata' ? this.#skipMetadata(found) : this.skipValue()));
    if (!isWhole || found.length > 1) return undefined;
    return found[0] ? textOf(this.#bytes, from, this.at, found[0]) : this.#bytes.toString('utf8', from, this.at);
  }

  /** Goes past a value, if there is one. */
  skipValue(): boolean {
    this.#skipSpace();
    const first = this.#bytes[this.at];
    if (first === QUOTE) {
      this.at++;
      return this.#skipText();
    }
    return first === OPEN_BRACE || first === OPEN_BRACKET ? this.#skipNested() : this.#skipWord();
  }

  // Notes where managedFields stand, from the comma before them, or to the one behind them.
  #skipMetadata(found: Span[]): boolean {
    if (!this.#comesNext(OPEN_BRACE)) return this.skipValue();
    const isWhole = this.#eachMember((key, start, isFirst) => {
      if (!this.skipValue()) return false;
      if (key !== 'managedFields' || this.#bytes.subarray(start, this.at).includes(DISPATCHED)) return true;
      const to = this.at;
      if (!isFirst) found.push({ from: start - 1, to });
      else found.push({ from: start, to: this.#comesNext(COMMA) ? this.at + 1 : to });
      return true;
    });
    return isWhole;
  }

  /** Goes through an object; each call must go past the value, `start` is what follows the brace or comma before its key. */
  #eachMember(skip: (key: string, start: number, isFirst: boolean) => boolean): boolean {
    if (!this.take(OPEN_BRACE)) return false;
    if (this.take(CLOSE_BRACE)) return true;
    let isFirst = true;
    do {
      const start = this.at;
      const key = this.takeKey();
      if (key === undefined || !skip(key, start, isFirst)) return false;
      isFirst = false;
    } while (this.take(COMMA));
    return this.take(CLOSE_BRACE);
  }

  // From behind the opening quote to behind the closing one.
  #skipText(): boolean {
    let end = this.#bytes.indexOf(QUOTE, this.at);
    while (end >= 0) {
      let before = end;
      while (this.#bytes[before - 1] === BACKSLASH) before--;
      if ((end - before) % 2 === 0) break;
      end = this.#bytes.indexOf(QUOTE, end + 1);
    }
    if (end < 0) return false;
    this.at = end + 1;
    return true;
  }

  #skipNested(): boolean {
    const bytes = this.#bytes; // these few lines see every byte of a list
    let depth = 0;
    for (let at = this.at; at < bytes.length; at++) {
      const byte = bytes[at];
      if (byte === QUOTE) {
        this.at = at + 1;
        if (!this.#skipText()) return false;
        at = this.at - 1;
      } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++;
      else if ((byte === CLOSE_BRACE || byte === CLOSE_BRACKET) && --depth === 0) {
        this.at = at + 1;
        return true;
      }
    }
    return false;
  }

  #skipWord(): boolean {
    const from = this.at;
    while (this.at < this.#bytes.length && !ENDS_WORD.has(this.#bytes[this.at] ?? 0)) this.at++;
    return this.at > from;
  }

  #comesNext(byte: number): boolean {
    this.#skipSpace();
    return this.#bytes[this.at] === byte;
  }

  #skipSpace(): void {
    while (SPACES.has(this.#bytes[this.at] ?? 0)) this.at++;
  }
}

const SPACES: ReadonlySet<number> = new Set([TAB, LINE_FEED, CARRIAGE_RETURN, SPACE]);
const ENDS_WORD: ReadonlySet<number> = new Set([...SPACES, COMMA, CLOSE_BRACKET, CLOSE_BRACE]);
