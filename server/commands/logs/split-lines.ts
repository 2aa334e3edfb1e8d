import { MAX_LINE_BYTES } from '@/lib/contract/log-stream';

/** A line as bytes came, without its end. */
export interface CutLine {
  readonly text: string;
  /** Bytes that were left out of its end. */
  readonly cut: number;
}

const NEW_LINE = 10;
/** The node puts a time before each line, which does not count. */
const MAX_BYTES = MAX_LINE_BYTES + 40;

/** Makes lines of the pieces in which they arrive. Of a line without an end no more is held than will be shown. */
export class LineSplitter {
  #held: Buffer[] = [];
  #size = 0;
  #cut = 0;

  /** The lines that end in this piece. */
  *take(piece: Uint8Array): Generator<CutLine, void, void> {
    const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
    let from = 0;
    for (let to = bytes.indexOf(NEW_LINE); to >= 0; to = bytes.indexOf(NEW_LINE, from)) {
      if (this.#size === 0 && to - from <= MAX_BYTES) yield { text: bytes.toString('utf8', from, to), cut: 0 };
      else {
        this.#hold(bytes.subarray(from, to));
        yield this.#end();
      }
      from = to + 1;
    }
    // A copy: the piece itself is large, and would be kept for the few bytes at its end.
    if (from < bytes.length) this.#hold(Buffer.from(bytes.subarray(from, from + MAX_BYTES)), bytes.length - from);
  }

  /** What came after the last line end, once nothing more will come. */
  rest(): CutLine | undefined {
    return this.#size === 0 && this.#cut === 0 ? undefined : this.#end();
  }

  #hold(bytes: Buffer, size = bytes.length): void {
    const kept = bytes.subarray(0, Math.max(0, MAX_BYTES - this.#size));
    if (kept.length > 0) this.#held.push(kept);
    this.#size += kept.length;
    this.#cut += size - kept.length;
  }

  #end(): CutLine {
    const bytes = Buffer.concat(this.#held);
    const cut = this.#cut;
    this.#held = [];
    this.#size = 0;
    this.#cut = 0;
    // A character that was cut in two is left out, and counts as cut.
    const text = cut === 0 ? bytes.toString('utf8') : new TextDecoder().decode(bytes, { stream: true });
    return { text, cut: cut === 0 ? 0 : cut + bytes.length - Buffer.byteLength(text) };
  }
}
