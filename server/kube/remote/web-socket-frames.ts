/** One frame of the WebSocket protocol. */
export interface Frame {
  readonly opcode: number;
  readonly isLast: boolean;
  readonly body: Uint8Array;
}

/** Makes frames of a server out of the pieces in which they arrive. */
export class FrameReader {
  readonly #most: number;
  #held: Buffer = Buffer.alloc(0);

  constructor(most: number) {
    this.#most = most;
  }

  /** The frames that end in this piece; throws at what is none. */
  *take(piece: Uint8Array): Generator<Frame, void, void> {
    this.#held =
      this.#held.length === 0 ? Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength) : Buffer.concat([this.#held, piece]);
    for (let frame = this.#next(); frame !== undefined; frame = this.#next()) yield frame;
  }

  #next(): Frame | undefined {
    const held = this.#held;
    if (held.length < 2) return undefined;
    const first = held[0] ?? 0;
    const second = held[1] ?? 0;
    if ((first & 0x70) !== 0) throw new Error('a frame uses an extension that was not agreed on');
    if ((second & 0x80) !== 0) throw new Error('a frame of a server is masked');
    const size = second & 0x7f;
    const extra = size === 126 ? 2 : size === 127 ? 8 : 0;
    if (held.length < 2 + extra) return undefined;
    const length = extra === 0 ? size : extra === 2 ? held.readUInt16BE(2) : Number(held.readBigUInt64BE(2));
    if (length > this.#most) throw new Error(`a frame of ${length} bytes is larger than any that is accepted`);
    const end = 2 + extra + length;
    if (held.length < end) return undefined;
    this.#held = held.subarray(end);
    return { opcode: first & 0x0f, isLast: (first & 0x80) !== 0, body: held.subarray(2 + extra, end) };
  }
}
