import { Duplex } from 'node:stream';
import type { DatabaseThread } from './database-thread';

/** What node-postgres takes for a socket: the wire to the database in a thread, which has one session and answers in order. */
export class ThreadSocket extends Duplex {
  readonly #thread: DatabaseThread;

  constructor(thread: DatabaseThread) {
    super();
    this.#thread = thread;
  }

  connect(): this {
    this.#thread.attach(
      (bytes) => this.push(bytes),
      (reason) => this.destroy(reason),
    );
    queueMicrotask(() => this.emit('connect'));
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  override _read(): void {
    // The thread answers when it has computed, asked or not.
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#thread.send(chunk);
    done();
  }

  /** All messages of one query in one go. */
  override _writev(chunks: readonly { readonly chunk: Buffer }[], done: () => void): void {
    this.#thread.send(Buffer.concat(chunks.map(({ chunk }) => chunk)));
    done();
  }

  override _final(done: () => void): void {
    this.push(null);
    done();
  }
}
