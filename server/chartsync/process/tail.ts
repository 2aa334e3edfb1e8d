/** Pieces are put together up to here: what they are kept in stays short, however small they come. */
const BLOCK = 64 * 1024;

/** The end of a text that may be long; its first line is left out where it is not whole. Adding a piece costs no more than the piece. */
export class Tail {
  readonly #most: number;
  readonly #full: string[] = [];
  #newest = '';
  #length = 0;
  #isCut = false;

  constructor(most: number) {
    this.#most = most;
  }

  add(text: string): void {
    this.#newest += text;
    this.#length += text.length;
    if (this.#newest.length < BLOCK) return;
    this.#full.push(this.#newest);
    this.#newest = '';
    for (let first = this.#full[0]; first !== undefined && this.#length - first.length >= this.#most; first = this.#full[0]) {
      this.#full.shift();
      this.#length -= first.length;
      this.#isCut = true;
    }
  }

  text(): string {
    const all = `${this.#full.join('')}${this.#newest}`;
    const end = all.slice(-this.#most);
    return this.#isCut || all.length > end.length ? end.slice(end.indexOf('\n') + 1) : end;
  }
}
