/** As long as a value may be on one line, so that it is known for one; a longer line is not told. */
const MAX_CHARACTERS = 64 * 1024;
const TOO_LONG = '(a line of more than 64 KiB is left out)';

/** Tells lines as soon as they are whole, in whatever pieces their text comes. */
export class Lines {
  readonly #notify: (line: string) => void;
  #rest = '';
  #isTooLong = false;

  constructor(notify: (line: string) => void) {
    this.#notify = notify;
  }

  take(text: string): void {
    const [first = '', ...more] = text.split('\n');
    this.#add(first);
    for (const next of more) {
      this.#emitRest();
      this.#add(next);
    }
  }

  /** Nothing more comes: what has no end of line is a line as well. */
  end(): void {
    this.#emitRest();
  }

  #add(text: string): void {
    this.#isTooLong ||= this.#rest.length + text.length > MAX_CHARACTERS;
    this.#rest = this.#isTooLong ? '' : this.#rest + text;
  }

  #emitRest(): void {
    const line = this.#isTooLong ? TOO_LONG : this.#rest.trim();
    this.#rest = '';
    this.#isTooLong = false;
    if (line !== '') this.#notify(line);
  }
}
