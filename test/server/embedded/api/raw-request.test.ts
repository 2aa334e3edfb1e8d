import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import { createRawRequest } from '@/server/embedded/port/raw-request';
import { ADMIN } from '@/server/embedded/rights/caller';

/** A stream that says what it is given, and nothing by itself. */
class Quiet implements AsyncIterableIterator<string> {
  returned = 0;
  readonly #said: string[];

  constructor(...said: string[]) {
    this.#said = said;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<string, undefined>> {
    const value = this.#said.shift();
    if (value === 'fails') return Promise.reject(new Error('the stream broke'));
    if (value === 'ends') return Promise.resolve({ done: true, value: undefined });
    return value === undefined ? new Promise(() => undefined) : Promise.resolve({ done: false, value });
  }

  return(): Promise<IteratorResult<string, undefined>> {
    this.returned++;
    return Promise.resolve({ done: true, value: undefined });
  }
}

async function open(stream: Quiet, signal: AbortSignal, meanwhile?: () => void) {
  const http = () => {
    meanwhile?.();
    return Promise.resolve({ status: 200, headers: {}, body: stream });
  };
  const { body } = await createRawRequest(http, () => ADMIN)({ path: '/', signal });
  return body[Symbol.asyncIterator]();
}

const listeners = (signal: AbortSignal) => getEventListeners(signal, 'abort').length;

it('[cluster C1] a quiet stream ends when the request is aborted, also for who waits already', async () => {
  const stream = new Quiet('one');
  const aborter = new AbortController();
  const bytes = await open(stream, aborter.signal);
  expect(String((await bytes.next()).value)).toBe('one');
  const next = bytes.next();
  aborter.abort();
  expect(await next).toEqual({ done: true, value: undefined });
  expect(await bytes.next()).toEqual({ done: true, value: undefined });
  expect([stream.returned, listeners(aborter.signal)]).toEqual([1, 0]);
});

it('[cluster C1] an abort before anybody reads ends the stream, and so does one before there is an answer', async () => {
  const [late, early] = [new Quiet('one'), new Quiet('one')];
  const [aborter, sooner] = [new AbortController(), new AbortController()];
  const bytes = await open(late, aborter.signal);
  aborter.abort();
  const none = await open(early, sooner.signal, () => sooner.abort());
  expect([late.returned, early.returned]).toEqual([1, 1]);
  expect([(await bytes.next()).done, (await none.next()).done]).toEqual([true, true]);
  expect([listeners(aborter.signal), listeners(sooner.signal)]).toEqual([0, 0]);
});

it.each<[string, Quiet, (bytes: AsyncIterator<Uint8Array>) => Promise<unknown>]>([
  ['its reader leaves', new Quiet('one'), (bytes) => bytes.next().then(() => bytes.return?.())],
  ['its reader leaves before reading', new Quiet('one'), (bytes) => Promise.resolve(bytes.return?.())],
  ['it ends', new Quiet('ends'), (bytes) => bytes.next()],
  ['it fails', new Quiet('fails'), (bytes) => expect(bytes.next()).rejects.toThrow('the stream broke')],
])('[cluster C1] nothing listens for an abort once a stream is over: %s', async (_how, stream, end) => {
  const aborter = new AbortController();
  const bytes = await open(stream, aborter.signal);
  expect(listeners(aborter.signal)).toBe(1);
  await end(bytes);
  expect([stream.returned, listeners(aborter.signal)]).toEqual([1, 0]);
});
