import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createPageQueue } from '@/server/api';
import type { Session } from '@/server/auth';
import type { HttpServer, HttpServerOptions } from '@/server/http-server';
import { createHttpServer } from '@/server/http-server';
import { ManualClock } from '@/test/support/manual-clock';
import { silentLog } from '../support/silent-log';

type Handle = (request: IncomingMessage, response: ServerResponse) => Promise<void>;
const next = vi.hoisted(() => ({ handle: undefined as Handle | undefined, upgrades: [] as (string | undefined)[] }));
vi.mock('next', () => ({
  default: ({ httpServer }: { readonly httpServer: Server }) => {
    httpServer.on('upgrade', ({ url }: IncomingMessage) => void next.upgrades.push(url));
    return {
      prepare: async () => undefined,
      getRequestHandler: () => (request: IncomingMessage, response: ServerResponse) => next.handle?.(request, response),
      close: async () => undefined,
    };
  },
}));

const clock = new ManualClock();
const readSession = async (cookie: string | null | undefined) => (cookie ? ({ user: cookie } as Session) : undefined);

/** What is answered to a request whose body does not come; resolves when the connection ends. */
function sendSlowly(address: string, head: string): Promise<string> {
  const { hostname, port } = new URL(address);
  return new Promise((resolve, reject) => {
    let heard = '';
    const socket = connect(Number(port), hostname, () => socket.write(head));
    socket.on('data', (bytes) => {
      heard += bytes.toString();
    });
    socket.on('close', () => resolve(heard));
    socket.on('error', reject);
  });
}

describe('the one port', () => {
  let front: HttpServer | undefined;
  afterEach(async () => {
    await front?.[Symbol.asyncDispose]();
    front = undefined;
  });

  /** The front over pages that the test ends; those whose path begins with `/slow` wait for it. */
  async function open(over: Partial<HttpServerOptions> = {}) {
    const begun: string[] = [];
    const ends: (() => void)[] = [];
    next.handle = async ({ url = '' }, response) => {
      begun.push(url);
      if (url.startsWith('/slow')) await new Promise<void>((end) => ends.push(end));
      await new Promise<void>((sent) => response.writeHead(200).end(`page ${url}`, () => sent()));
    };
    front = createHttpServer({
      host: '127.0.0.1',
      port: 0,
      development: false,
      clock,
      log: silentLog,
      refusedReason: () => undefined,
      sourceOf: () => 'a stranger',
      secure: false,
      pageStatus: async () => undefined,
      runQueued: createPageQueue({ auth: { readSession }, peers: { sourceOf: () => 'a stranger' }, clock }),
      api: () => new Response('of the engine'),
      ...over,
    });
    let heard = 0;
    front.server.on('request', () => heard++);
    const address = `http://127.0.0.1:${await front.listen()}`;
    const ask = (path: string, cookie?: string, signal?: AbortSignal) =>
      fetch(`${address}${path}`, { headers: cookie === undefined ? {} : { cookie }, ...(signal ? { signal } : {}) });
    const heardOf = (count: number) => expect.poll(() => heard, { interval: 1 }).toBe(count);
    const endAll = () => {
      for (const end of ends.splice(0)) end();
    };
    return { begun, address, ask, heardOf, endAll };
  }

  it('[design 13] says which port is in use, and by which setting it is given another', async () => {
    const { address } = await open();
    const port = Number(new URL(address).port);
    const taken = front;
    try {
      await expect(open({ port })).rejects.toThrow(
        `port ${port} of 127.0.0.1 is in use by another program; give this server another --port or --host`,
      );
    } finally {
      await taken?.[Symbol.asyncDispose]();
    }
  });

  it('[issue 10.4] computes two pages of a person at once; files of the build, the engine’s answers and pages of others wait for none of them', async () => {
    const { begun, ask, heardOf, endAll } = await open();
    const slow = [ask('/slow/1', 'ada'), ask('/slow/2', 'ada')];
    await expect.poll(() => begun.length, { interval: 1 }).toBe(2);
    slow.push(ask('/slow/3', 'ada'));
    await heardOf(3);
    expect(await (await ask('/_next/static/a.js', 'ada')).text()).toBe('page /_next/static/a.js');
    expect(await (await ask('/api/v1/session', 'ada')).text()).toBe('of the engine');
    expect(await (await ask('/rollouts', 'ben')).text()).toBe('page /rollouts');
    expect(begun).not.toContain('/slow/3');
    endAll();
    await expect.poll(() => begun, { interval: 1 }).toContain('/slow/3');
    endAll();
    expect((await Promise.all(slow)).map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  it('[issue 10.4] answers 429 with the limit and when to come again once fifty wait, and pages of others and of later as ever', async () => {
    const { begun, ask, heardOf, endAll } = await open();
    const slow = Array.from({ length: 52 }, (_, at) => ask(`/slow/${at}`, 'ada'));
    await heardOf(52);
    const refused = await ask('/rollouts', 'ada');
    expect([refused.status, refused.headers.get('retry-after'), await refused.text()]).toEqual([
      429,
      '1',
      'ada has 52 pages running or waiting, which is the limit; try again in a second\n',
    ]);
    expect((await ask('/rollouts', 'ben')).status).toBe(200);
    while (begun.length < 53) {
      const before = begun.length;
      endAll();
      await expect.poll(() => begun.length, { interval: 1 }).toBeGreaterThan(before);
    }
    endAll();
    expect(new Set((await Promise.all(slow)).map(({ status }) => status))).toEqual(new Set([200]));
    expect((await ask('/rollouts', 'ada')).status).toBe(200);
  });

  it('[issue 10.4] computes no page whose reader left while others had their turn', async () => {
    const { begun, ask, heardOf, endAll } = await open();
    const slow = [ask('/slow/1'), ask('/slow/2')];
    await expect.poll(() => begun.length, { interval: 1 }).toBe(2);
    const left = new Promise<void>((gone) => front?.server.on('request', (_request, response) => response.on('close', gone)));
    const leaving = new AbortController();
    const third = ask('/slow/3', undefined, leaving.signal);
    await heardOf(3);
    leaving.abort();
    await expect(third).rejects.toThrow();
    await left;
    endAll();
    await Promise.all(slow);
    expect(await (await ask('/rollouts')).text()).toBe('page /rollouts');
    expect(begun).toEqual(['/slow/1', '/slow/2', '/rollouts']);
  });

  it('[issue 10.4] computes no page for a request that sends something, whose body could keep its turn', async () => {
    const { begun, address, ask } = await open();
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'PROPFIND']) {
      const refused = await fetch(`${address}/sign-in`, { method, headers: { 'next-action': '00aa' } });
      expect([refused.status, refused.headers.get('allow'), await refused.text()]).toEqual([
        405,
        'GET, HEAD',
        'Pages take GET and HEAD only.\n',
      ]);
    }
    expect(await sendSlowly(address, 'POST /sign-in HTTP/1.1\r\nhost: a\r\ncontent-length: 1000\r\n\r\n')).toContain('HTTP/1.1 405');
    expect(await sendSlowly(address, 'TRACE /sign-in HTTP/1.1\r\nhost: a\r\n\r\n')).toContain('HTTP/1.1 405');
    expect(begun).toEqual([]);
    expect(await (await ask('/sign-in')).text()).toBe('page /sign-in');
    expect((await fetch(`${address}/sign-in`, { method: 'HEAD' })).status).toBe(200);
    expect(await (await fetch(`${address}/api/v1/session`, { method: 'POST' })).text()).toBe('of the engine');
    // Nor for what is no upgrade at the path of sockets.
    expect((await fetch(`${address}/socket.io/?EIO=4&transport=polling`)).status).toBe(426);
  });

  it('[issue 10.4] cuts upgrades that nobody takes, and has no page hear of them but where these reload themselves', async () => {
    const upgrade = 'GET * HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';
    const { address } = await open();
    expect(await sendSlowly(address, upgrade)).toBe('');
    expect(next.upgrades).toEqual([]);
    await front?.[Symbol.asyncDispose]();
    const { hostname, port } = new URL((await open({ development: true })).address);
    const socket = connect(Number(port), hostname, () => socket.write(upgrade)).on('error', () => undefined); // it ends with the port
    await expect.poll(() => next.upgrades, { interval: 1 }).toEqual(['*']);
    socket.destroy();
  });

  it('[issue 10.4] ends the connection that has owed a request for longest once one source has 512 of them, and answers whoever sends one', async () => {
    const { address, ask } = await open();
    const { hostname, port } = new URL(address);
    const ended: number[] = [];
    const silent: Socket[] = [];
    for (let at = 0; at < 514; at++) {
      const socket = connect(Number(port), hostname).on('error', () => undefined); // it may be ended
      silent.push(socket.on('close', () => ended.push(at)));
      await new Promise<void>((connected) => socket.once('connect', connected));
    }
    await expect.poll(() => ended, { interval: 5, timeout: 20_000 }).toEqual([0, 1]);
    expect(await (await ask('/rollouts', 'ben')).text()).toBe('page /rollouts');
    for (const one of silent) one.destroy();
  });

  it('[issue 10.4] says the status of what a page is about, and 500 of one that fails, whose turn is the next one’s', async () => {
    const { ask } = await open({ pageStatus: async ({ url }) => (url === '/rollouts/shop/gone' ? 404 : undefined) });
    expect([(await ask('/rollouts/shop/gone', 'ada')).status, (await ask('/rollouts/shop/web', 'ada')).status]).toEqual([404, 200]);
    const well = next.handle;
    next.handle = () => Promise.reject(new Error('no such page'));
    for (let at = 0; at < 4; at++) expect((await ask('/rollouts', 'ada')).status).toBe(500);
    next.handle = well;
    expect((await ask('/rollouts', 'ada')).status).toBe(200);
  });
});
