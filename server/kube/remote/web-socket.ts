import { randomFillSync } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { messageOf } from '@/lib/contract/app-error';
import type { Connected } from '../cluster';
import { KubeTransportError } from '../errors';
import type { Frame } from './web-socket-frames';
import { FrameReader } from './web-socket-frames';

const CONTINUATION = 0;
const BINARY = 2;
const CLOSE = 8;
const PING = 9;
const PONG = 10;
/** What kubelets and API servers send at once is 32 KB; more is no message of theirs. */
const MAX_MESSAGE = 1024 * 1024;
const NORMAL = Buffer.from([0x03, 0xe8]);

/** Speaks the WebSocket protocol (RFC 6455, as a client) over a connection that was upgraded. It reads no faster than messages are taken. */
export function createWebSocket(socket: Duplex, head: Uint8Array, what: string): Connected {
  let isClosed = false;
  const write = (opcode: number, body: Uint8Array): Promise<void> => {
    if (isClosed || socket.destroyed || !socket.writable) return Promise.resolve();
    if (socket.write(toFrame(opcode, body))) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        socket.off('drain', done).off('close', done);
        resolve();
      };
      socket.on('drain', done).on('close', done);
    });
  };
  const close = () => {
    if (isClosed) return;
    void write(CLOSE, NORMAL);
    isClosed = true;
    socket.end(() => socket.destroy());
  };
  socket.on('error', () => undefined); // told by what reads
  return {
    messages: readMessages({ socket, head, what, write, close, isClosed: () => isClosed }),
    send: (message) => write(BINARY, message),
    close,
  };
}

interface Reading {
  readonly socket: Duplex;
  readonly head: Uint8Array;
  readonly what: string;
  readonly write: (opcode: number, body: Uint8Array) => Promise<void>;
  readonly close: () => void;
  readonly isClosed: () => boolean;
}

async function* readMessages(reading: Reading): AsyncGenerator<Uint8Array, void, void> {
  const { what, close, isClosed } = reading;
  try {
    if ((yield* takeMessages(reading)) === 'cut' && !isClosed()) throw new Error('it was cut');
  } catch (error) {
    if (!isClosed()) throw new KubeTransportError(`the connection of ${what} broke off: ${messageOf(error)}`, { cause: error });
  } finally {
    close();
  }
}

async function* takeMessages({ socket, head, write }: Reading): AsyncGenerator<Uint8Array, 'closed' | 'cut', void> {
  const reader = new FrameReader(MAX_MESSAGE);
  const parts = new Parts();
  for await (const chunk of chunksOf(socket, head)) {
    for (const frame of reader.take(chunk)) {
      if (frame.opcode === CLOSE) return 'closed';
      if (frame.opcode === PING) await write(PONG, frame.body);
      const message = frame.opcode > BINARY ? undefined : parts.take(frame);
      if (message !== undefined) yield message;
    }
  }
  return 'cut';
}

/** A message may come in several frames. */
class Parts {
  #held: Uint8Array[] = [];
  #size = 0;

  /** The message that a frame completes. */
  take({ opcode, body, isLast }: Frame): Uint8Array | undefined {
    if (opcode !== CONTINUATION) [this.#held, this.#size] = [[], 0];
    this.#held.push(body);
    this.#size += body.length;
    if (this.#size > MAX_MESSAGE) throw new Error('a message is larger than 1 MB');
    return isLast ? Buffer.concat(this.#held.splice(0)) : undefined;
  }
}

async function* chunksOf(socket: Duplex, head: Uint8Array): AsyncGenerator<Uint8Array, void, void> {
  if (head.length > 0) yield head;
  // Whoever stops reading says so to the other side first.
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) yield chunk as Uint8Array; // sockets give buffers
}

/** A frame of a client, whose body is masked. */
function toFrame(opcode: number, body: Uint8Array): Buffer {
  const extra = body.length < 126 ? 0 : body.length < 65_536 ? 2 : 8;
  const frame = Buffer.allocUnsafe(2 + extra + 4 + body.length);
  frame[0] = 0x80 | opcode;
  frame[1] = 0x80 | (extra === 0 ? body.length : extra === 2 ? 126 : 127);
  if (extra === 2) frame.writeUInt16BE(body.length, 2);
  if (extra === 8) frame.writeBigUInt64BE(BigInt(body.length), 2);
  const mask = randomFillSync(frame.subarray(2 + extra, 6 + extra));
  const at = 6 + extra;
  for (let index = 0; index < body.length; index++) frame[at + index] = (body[index] ?? 0) ^ (mask[index & 3] ?? 0);
  return frame;
}
