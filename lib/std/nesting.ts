/** Where a value may begin: what looks like a bracket or a quote elsewhere is part of a word. */
const BEFORE_VALUE = /[:,[{?-]/;
const BLOCK_SCALAR = /(?:^|[\s:-])[|>][+\-\d]{0,2}\s*(?:#.*)?$/;
const DASHES = /(?:[-?] +)*/y;

/**
 * Tells whether a text, JSON or YAML, is nested deeper than so many levels, without parsing it: parsers call themselves for each level, and a
 * short text can have more of them than any stack. Brackets in quotes, comments and blocks of text do not count.
 */
export function isDeeper(text: string, most: number): boolean {
  const scan = new NestingScan(most);
  for (let from = 0; from <= text.length; ) {
    const end = text.indexOf('\n', from);
    const to = end < 0 ? text.length : end;
    if (scan.line(text.slice(from, to))) return true;
    from = to + 1;
  }
  return false;
}

class NestingScan {
  readonly #most: number;
  /** Columns at which the open blocks begin. */
  readonly #blocks: number[] = [];
  #brackets = 0;
  #quote = '';
  /** Lines that begin further right are text of a block scalar. */
  #textBeyond: number | undefined;

  constructor(most: number) {
    this.#most = most;
  }

  /** Takes the next line; true once it is too deep. */
  line(line: string): boolean {
    const indent = line.length - line.trimStart().length;
    if (indent === line.length) return false;
    if (this.#textBeyond !== undefined && indent > this.#textBeyond) return false;
    this.#textBeyond = undefined;
    const from = this.#isBlock() ? this.#openBlocks(line, indent) : 0;
    if (this.#isTooDeep() || this.#walk(line, from)) return true;
    if (this.#isBlock() && BLOCK_SCALAR.test(line))
      this.#textBeyond = /^[|>]/.test(line.slice(from)) ? (this.#blocks.at(-2) ?? -1) : this.#blocks.at(-1);
    return false;
  }

  #isBlock(): boolean {
    return this.#brackets === 0 && this.#quote === '';
  }

  #isTooDeep(): boolean {
    return this.#blocks.length + this.#brackets > this.#most;
  }

  /** Opens a block for a line that is further right than the one before, and for each dash; answers where its first value begins. */
  #openBlocks(line: string, indent: number): number {
    while ((this.#blocks.at(-1) ?? -1) > indent) this.#blocks.pop();
    // A line of brackets alone opens no block of its own.
    if (this.#blocks.at(-1) !== indent && !/[[{]/.test(line[indent] ?? '')) this.#blocks.push(indent);
    DASHES.lastIndex = indent;
    const dashes = DASHES.exec(line)?.[0] ?? '';
    for (const { index, 0: dash } of dashes.matchAll(/[-?] +/g)) this.#blocks.push(indent + index + dash.length);
    return indent + dashes.length;
  }

  #walk(line: string, from: number): boolean {
    let before = ':'; // the last sign that is no space: a line begins with a value
    for (let at = from; at < line.length; at++) {
      const sign = line[at] ?? '';
      if (this.#quote !== '') {
        if (sign === '\\' && this.#quote === '"') at++;
        else if (sign === this.#quote) this.#quote = '';
      } else if (sign === '#' && /\s/.test(line[at - 1] ?? ' ')) return false;
      else if (this.#open(sign, before)) return true;
      before = this.#after(before, sign);
    }
    return false;
  }

  /** A space changes nothing; a bracket that opened nothing is part of a word, and so is the next. */
  #after(before: string, sign: string): string {
    if (sign.trim() === '') return before;
    return this.#brackets === 0 && /[[{]/.test(sign) ? 'x' : sign;
  }

  #open(sign: string, before: string): boolean {
    const begins = BEFORE_VALUE.test(before);
    if ((sign === '"' || sign === "'") && begins) this.#quote = sign;
    else if ((sign === '[' || sign === '{') && (begins || this.#brackets > 0)) this.#brackets++;
    else if ((sign === ']' || sign === '}') && this.#brackets > 0) this.#brackets--;
    return this.#isTooDeep();
  }
}
