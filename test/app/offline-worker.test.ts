import { readFileSync } from 'node:fs';
import { createContext, runInContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { GET } from '@/app/offline-words.js/route';

const SOURCE = readFileSync('public/offline-worker.js', 'utf8');
const WORDS = await GET().text();
const OURS = { 'cross-origin-opener-policy': 'same-origin' };

interface Asked {
  readonly path: string;
  readonly mode?: string;
  readonly method?: string;
}

/** The worker of a browser that can keep things: whatever it reaches for besides the network is noted. */
function aWorker(answer: () => Promise<Response>, open: readonly string[] = []) {
  const kept: string[] = [];
  const shown: string[] = [];
  const sent: unknown[] = [];
  const listeners = new Map<string, (event: unknown) => void>();
  const note = (name: string) => ({
    get() {
      kept.push(name);
      return undefined;
    },
  });
  const self = {
    addEventListener: (name: string, listener: (event: unknown) => void) => listeners.set(name, listener),
    skipWaiting: () => undefined,
    clients: {
      matchAll: async () => open.map((name) => ({ focus: async () => void shown.push(`focus ${name}`) })),
      openWindow: async (path: string) => void shown.push(`open ${path}`),
    },
  };
  const globals = {
    self,
    importScripts: (path: string) => path === '/offline-words.js' && runInContext(WORDS, context),
    URL,
    Response,
    crypto,
    btoa,
    fetch: (asked: unknown) => {
      sent.push(asked);
      return answer();
    },
  };
  const places = ['caches', 'indexedDB', 'localStorage', 'sessionStorage', 'cookieStore'];
  for (const place of places) {
    Object.defineProperty(globals, place, note(place));
    Object.defineProperty(self, place, note(place));
  }
  const context = createContext(globals);
  runInContext(SOURCE, context);
  return {
    kept,
    sent,
    names: () => [...listeners.keys()],
    /** What a tap on a notification shows. */
    async tap(): Promise<readonly string[]> {
      const notification = { close: () => void shown.push('close') };
      let given: Promise<unknown> | undefined;
      const waitUntil = (until: Promise<unknown>) => {
        given = until;
      };
      listeners.get('notificationclick')?.({ notification, waitUntil });
      await given;
      return shown;
    },
    /** What the worker answers; undefined where it leaves the request to the browser. */
    async ask({ path, mode = 'navigate', method = 'GET' }: Asked): Promise<Response | undefined> {
      let given: Promise<Response> | undefined;
      const respondWith = (response: Promise<Response>) => {
        given = response;
      };
      listeners.get('fetch')?.({ request: { url: `https://console.example${path}`, mode, method }, respondWith });
      return given;
    },
  };
}

const page = (status: number, headers: Record<string, string>) => async () => new Response('rows of shop', { status, headers });
const failing = () => Promise.reject(new TypeError('Failed to fetch'));

describe('the worker of the console', () => {
  it.each([
    ['the console where it is open', ['inbox'], 'focus inbox'],
    ['the inbox where it is not', [], 'open /'],
  ])('[issue 14.3] shows %s to whoever taps a notification', async (_what, open, shown) => {
    expect(await aWorker(failing, open).tap()).toEqual(['close', shown]);
  });

  it.each([
    ['the API', { path: '/api/v1/activity/export' }],
    ['signing in', { path: '/sign-in?token=abc' }],
    ['what a page sends', { path: '/applications', method: 'POST' }],
    ['scripts', { path: '/_next/static/chunks/a.js', mode: 'no-cors' }],
    ['rows of a page', { path: '/applications?_rsc=1', mode: 'cors' }],
    ['the socket', { path: '/socket.io/?EIO=4', mode: 'websocket' }],
  ])('[issue 14.3] sees nothing of %s, whether the server answers or not', async (_what, asked) => {
    const worker = aWorker(failing);
    expect(await worker.ask(asked)).toBeUndefined();
    expect(worker.sent).toEqual([]);
  });

  it('[issue 14.3] hands on what the server answers as it is, and keeps nothing of it nor of its own page', async () => {
    for (const status of [200, 403, 404, 429, 503]) {
      const worker = aWorker(page(status, OURS));
      const answer = await worker.ask({ path: '/applications/shop/web' });
      expect([answer?.status, await answer?.text()]).toEqual([status, 'rows of shop']);
      expect(worker.kept).toEqual([]);
    }
    expect(aWorker(failing).names()).toEqual(['install', 'activate', 'fetch', 'notificationclick']);
  });

  it.each([
    ['nothing answers', failing],
    ['a proxy answers instead', page(502, {})],
    ['a proxy says that nothing answers', page(503, { 'content-type': 'text/html' })],
  ])(
    '[issue 14.3] shows its own page where %s, with nothing of an answer or an address in it, and a nonce that is new each time',
    async (_where, answer) => {
      const worker = aWorker(answer);
      const pages = await Promise.all([1, 2].map(() => worker.ask({ path: '/applications/shop/secret-name?q=%3Cscript%3E' })));
      const nonces = new Set<string | undefined>();
      for (const shown of pages) {
        const policy = shown?.headers.get('content-security-policy') ?? '';
        const nonce = /script-src 'nonce-([A-Za-z0-9+/=]{24})'/.exec(policy)?.[1];
        nonces.add(nonce);
        expect(policy).toMatch(/^default-src 'none'; /);
        expect(policy).not.toMatch(/unsafe|\*|https?:/);
        expect([shown?.status, shown?.headers.get('cache-control')]).toEqual([503, 'no-store']);
        const text = (await shown?.text()) ?? '';
        expect(text).toContain('<h1>The server does not answer</h1>');
        expect(text).toContain('No answer since <time id="since"></time>. The server may be down');
        expect(text).toContain('<code id="asked"></code> opens as soon as the server answers.');
        expect(text).toContain(`<script nonce="${nonce}">`);
        expect(text).not.toMatch(/rows of shop|secret-name|%NONCE%|>(?:undefined|null)</);
      }
      expect(nonces.size).toBe(2);
      expect(worker.kept).toEqual([]);
    },
  );
});
