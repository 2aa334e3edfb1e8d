import type { LogLine } from '@/lib/contract/log-stream';

/** What a page holds of a log; older lines go as newer ones come. */
export const MAX_LINES = 50_000;
const MAX_TEXT = 32 * 1024 * 1024;
const TIDY_AFTER = 4096;

/** The lines that a page holds, each by its number, counted from the first that ever came. */
export class LogLines {
  #held: LogLine[] = [];
  /** Lines at the beginning of `#held` that are gone. */
  #gone = 0;
  #first = 0;
  #text = 0;

  /** Number of the oldest line that is held. */
  get first(): number {
    return this.#first;
  }

  /** Number of the next line. */
  get end(): number {
    return this.#first + this.#held.length - this.#gone;
  }

  /** True when another line costs the oldest. */
  get isFull(): boolean {
    return this.end - this.#first >= MAX_LINES || this.#text >= MAX_TEXT;
  }

  at(number: number): LogLine | undefined {
    return number < this.#first ? undefined : this.#held[this.#gone + number - this.#first];
  }

  push(lines: readonly LogLine[]): void {
    for (const line of lines) {
      this.#held.push(line);
      this.#text += line.text.length;
    }
    while (this.end - this.#first > MAX_LINES || this.#text > MAX_TEXT) this.#drop();
    if (this.#gone > TIDY_AFTER) {
      this.#held = this.#held.slice(this.#gone);
      this.#gone = 0;
    }
  }

  #drop(): void {
    this.#text -= this.#held[this.#gone]?.text.length ?? 0;
    this.#gone++;
    this.#first++;
  }
}
