import type { RawAnswer, RawRequest } from '@/server/kube';
import type { HttpAnswer, HttpHandler } from '../http/handler';
import type { Caller } from '../rights/caller';

const CREDENTIAL = /^(authorization|impersonate-.*)$/;

/** Requests by path, answered as over HTTP without a network in between. */
export function createRawRequest(http: HttpHandler, caller: () => Caller): (request: RawRequest) => Promise<RawAnswer> {
  return async ({ method = 'GET', path, headers = {}, body = '', signal, beforeSend }) => {
    signal?.throwIfAborted();
    beforeSend?.();
    // Who asks is settled by the port; a header cannot change it.
    const plain = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
    const kept = Object.fromEntries(plain.filter(([name]) => !CREDENTIAL.test(name)));
    const answer = await http({ method, url: path, headers: kept, body, caller: caller() });
    return { status: answer.status, headers: answer.headers, body: toBytes(answer.body, signal) };
  };
}

function toBytes(body: HttpAnswer['body'], signal: AbortSignal | undefined): AsyncIterable<Uint8Array> {
  return typeof body === 'string' || body instanceof Uint8Array ? once(body) : new ByteStream(body, signal);
}

async function* once(body: string | Uint8Array): AsyncGenerator<Uint8Array> {
  if (body.length > 0) yield Buffer.from(body);
}

type Piece = IteratorResult<Uint8Array, undefined>;
const OVER: Piece = { done: true, value: undefined };

/** A stream as bytes. The signal ends it at once, also while nothing comes and before anybody has read. */
class ByteStream implements AsyncIterableIterator<Uint8Array> {
  readonly #source: AsyncIterator<string>;
  readonly #signal: AbortSignal | undefined;
  readonly #finish = () => void this.return();
  #isOver = false;
  #waiting: ((piece: Piece) => void) | undefined;

  constructor(lines: AsyncIterable<string>, signal: AbortSignal | undefined) {
    this.#source = lines[Symbol.asyncIterator]();
    this.#signal = signal;
    signal?.addEventListener('abort', this.#finish, { once: true });
    if (signal?.aborted) this.#finish();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<Piece> {
    if (this.#isOver) return Promise.resolve(OVER);
    return new Promise((resolve, reject) => {
      this.#waiting = resolve;
      this.#source.next().then(
        ({ done, value }) => {
          if (done) this.#finish();
          else resolve({ done: false, value: Buffer.from(value) });
        },
        (error: unknown) => {
          reject(error);
          this.#finish();
        },
      );
    });
  }

  // The source is not waited for: one that stands still would never say that it has ended.
  return(): Promise<Piece> {
    if (!this.#isOver) {
      this.#isOver = true;
      this.#signal?.removeEventListener('abort', this.#finish);
      this.#waiting?.(OVER);
      void this.#source.return?.();
    }
    return Promise.resolve(OVER);
  }
}
