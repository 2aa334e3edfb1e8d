import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterEach, expect, it, vi } from 'vitest';
import { createPageQueue } from '@/server/api';
import type { Session } from '@/server/auth';
import type { HttpServer, HttpServerOptions } from '@/server/http-server';
import { createHttpServer } from '@/server/http-server';
import { ManualClock } from '@/test/support/manual-clock';
import { silentLog } from '../support/silent-log';

type Handle = (request: IncomingMessage, response: ServerResponse) => Promise<void>;
const next = vi.hoisted(() => ({ handle: undefined as Handle | undefined }));
vi.mock('next', () => ({
  default: () => ({
    prepare: async () => undefined,
    getRequestHandler: () => (request: IncomingMessage, response: ServerResponse) => next.handle?.(request, response),
    close: async () => undefined,
  }),
}));

const AT_ONCE = 16;
const PAGES = 40;
/** Of what takes long. */
const FEW = 10;
const readSession = async (cookie: string | null | undefined) => (cookie ? ({ user: cookie } as Session) : undefined);
const IN_TURN = createPageQueue({ auth: { readSession }, peers: { sourceOf: () => 'a stranger' }, clock: new ManualClock() });
const WITHOUT_QUEUE: HttpServerOptions['runQueued'] = async (_request, compute) => compute().then(() => undefined);

let front: HttpServer | undefined;
afterEach(async () => {
  await front?.[Symbol.asyncDispose]();
  front = undefined;
});

/** Keeps the thread busy as a page does, which paints in several pieces. */
async function paint(): Promise<void> {
  for (let piece = 0; piece < 3; piece++) {
    const end = performance.now() + 2;
    while (performance.now() < end);
    await new Promise(setImmediate);
  }
}

/** How many pages of somebody who loads them without end are begun before somebody else, who loads one now and then, has theirs; of each load. */
async function besideALoop(
  runQueued: HttpServerOptions['runQueued'],
  pages: number,
): Promise<{ readonly before: readonly number[]; readonly looped: number }> {
  let begun = 0;
  next.handle = async ({ headers }, response) => {
    if (headers.cookie === 'vera') begun++;
    await paint();
    await new Promise<void>((sent) => response.writeHead(200).end('a page', () => sent()));
  };
  const options = { host: '127.0.0.1', port: 0, development: false, clock: new ManualClock(), log: silentLog, secure: false };
  const ways = {
    refusedReason: () => undefined,
    sourceOf: () => 'a stranger',
    pageStatus: async () => undefined,
    api: () => new Response(),
  };
  front = createHttpServer({ ...options, ...ways, runQueued });
  const address = `http://127.0.0.1:${await front.listen()}/rollouts`;
  const load = async (cookie: string) => {
    const answer = await fetch(address, { headers: { cookie } });
    expect([answer.status, await answer.text()]).toEqual([200, 'a page']);
  };
  let isOver = false;
  const loops = Array.from({ length: AT_ONCE }, async () => {
    while (!isOver) await load('vera');
  });
  const looping = Promise.all(loops);
  const before: number[] = [];
  try {
    await expect.poll(() => begun, { interval: 1 }).toBeGreaterThan(AT_ONCE);
    for (let at = 0; at < pages; at++) {
      const from = begun;
      await load('olga');
      before.push(begun - from);
    }
  } finally {
    isOver = true;
    await looping;
  }
  return { before: before.sort((a, b) => a - b), looped: begun };
}

const p95 = (sorted: readonly number[]) => sorted[Math.floor(sorted.length * 0.95)] ?? Number.NaN;

it('[issue 10.4] somebody who loads pages without end, sixteen at once, is computed a few of them before the page of somebody else, and is served as well', async () => {
  const { before, looped } = await besideALoop(IN_TURN, PAGES);
  expect(p95(before)).toBeLessThanOrEqual(5);
  expect(looped).toBeGreaterThan(PAGES);
});

it('[issue 10.4] without turns it would be all of theirs, which is what this measures', async () => {
  const { before } = await besideALoop(WITHOUT_QUEUE, FEW);
  expect(p95(before)).toBeGreaterThan(8);
});
