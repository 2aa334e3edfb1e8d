import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { isUnreachable, readJson, readStream } from '@/components/live/request';
import { answerFetch } from '@/test/support/screen';

const read = () => readJson('/api/v1/session', z.unknown()).catch((error: unknown) => error);

describe('a request that failed', () => {
  it.each([
    ['nobody took it', () => Promise.reject(new TypeError('Failed to fetch')), true],
    ['a proxy answered in place of the server', () => new Response('<h1>Bad Gateway</h1>', { status: 502 }), true],
    [
      'the server refused it',
      () => Response.json({ error: { code: 'unavailable', message: 'The cluster does not answer.' } }, { status: 503 }),
      false,
    ],
    ['the server failed without a word', () => new Response('', { status: 500 }), false],
  ])('[design 9] where %s, says so', async (_why, answer, unreachable) => {
    using _log = answerFetch({ 'GET /api/v1/session': answer });
    expect(isUnreachable(await read())).toBe(unreachable);
  });
});

it('[design 9] a stream that breaks off ends as one that nobody answers, after what had come', async () => {
  const pieces = ['event: lines\ndata: 1\n\n'];
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const piece = pieces.shift();
      if (piece === undefined) controller.error(new TypeError('network error'));
      else controller.enqueue(new TextEncoder().encode(piece));
    },
  });
  using _log = answerFetch({ 'GET /api/v1/events': () => new Response(body) });
  const heard: string[] = [];
  const error = await (async () => {
    for await (const { data } of readStream('/api/v1/events', new AbortController().signal)) heard.push(data);
  })().catch((thrown: unknown) => thrown);
  expect(heard).toEqual(['1']);
  expect(isUnreachable(error)).toBe(true);
});
