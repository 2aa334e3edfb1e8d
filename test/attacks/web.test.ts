import { readFileSync } from 'node:fs';
import type { IncomingMessage, Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { NextRequest } from 'next/server';
import { afterEach, describe, expect, it } from 'vitest';
import { proxy } from '@/proxy';
import type { PeerRequest } from '@/server/auth';
import { createClientAddresses } from '@/server/auth';
import { settled } from '@/server/framework';
import { createController } from '@/server/framework/loop';
import { createMetrics, createRandom, renderMetrics } from '@/server/platform';
import { guardPort } from '@/server/port-guard';
import { cookieOf, createAuthRig } from '@/test/server/auth/rig';
import { FakeStore } from '@/test/server/framework/fake-store';
import { admission, startHub } from '@/test/server/realtime/rig';
import { ManualClock } from '@/test/support/manual-clock';
import { silentLog } from '../support/silent-log';

const from = (remoteAddress: string, headers: Record<string, string> = {}): PeerRequest => ({
  socket: { remoteAddress },
  headers: { host: 'console.example.com', ...headers },
});
const BEHIND_TLS = { mode: 'token', publicUrl: 'https://console.example.com', trustedProxies: ['10.1.0.0/16', 'fd00::1'] } as const;

it('[issue 10.5] the server is set to make no image for who asks, and to send those that are there as they are', () => {
  expect(readFileSync('next.config.js', 'utf8')).toContain('images: { unoptimized: true }');
});

describe('a bearer token over plain http', () => {
  it('[issue 10.5] is refused from everywhere but loopback', () => {
    const peers = createClientAddresses({ mode: 'token', publicUrl: undefined, trustedProxies: [] });
    expect(peers.insecureReason(from('203.0.113.9'))).toContain('not served over plain http');
    expect(peers.insecureReason(from('127.0.0.1', { host: '127.0.0.1:3000' }))).toBeUndefined();
    expect(peers.insecureReason(from('::ffff:127.0.0.1', { host: 'localhost:3000' }))).toBeUndefined();
  });

  it.each([
    ['a proxy on the machine that nobody named', { 'x-forwarded-for': '203.0.113.9', host: 'localhost' }],
    ['a proxy on the machine that says no more than the name', {}],
  ])('[issue 10.5] is refused through %s', (_who, headers) => {
    expect(
      createClientAddresses({ mode: 'token', publicUrl: undefined, trustedProxies: [] }).insecureReason(from('127.0.0.1', headers)),
    ).toBeDefined();
  });

  it.each([
    ['a trusted proxy in front of https', BEHIND_TLS, from('10.1.2.3', { 'x-forwarded-proto': 'https' }), true],
    ['a trusted proxy with an address of IPv6', BEHIND_TLS, from('fd00::1'), true],
    ['somebody who is no proxy', BEHIND_TLS, from('10.2.0.1'), false],
    ['a trusted proxy that was asked over plain http itself', BEHIND_TLS, from('10.1.2.3', { 'x-forwarded-proto': 'http' }), false],
    [
      'a trusted proxy where the public address is http',
      { ...BEHIND_TLS, publicUrl: 'http://console.example.com' },
      from('10.1.2.3'),
      false,
    ],
  ] as const)('[issue 10.5] from %s', (_who, deps, request, taken) => {
    expect(createClientAddresses(deps).insecureReason(request) === undefined).toBe(taken);
  });

  it('[issue 10.5] counts only what trusted proxies say of where a request comes from', () => {
    const peers = createClientAddresses(BEHIND_TLS);
    expect(peers.sourceOf(from('203.0.113.9', { 'x-forwarded-for': '198.51.100.1' }))).toBe('203.0.113.9');
    expect(peers.sourceOf(from('10.1.2.3', { 'x-forwarded-for': '1.2.3.4, 203.0.113.9, 10.1.0.1' }))).toBe('203.0.113.9');
  });

  it('[issue 10.5] says which proxy cannot be read', () => {
    expect(() => createClientAddresses({ ...BEHIND_TLS, trustedProxies: ['proxy.example.com'] })).toThrow(
      'must be addresses and networks such as 10.0.0.7 or 10.0.0.0/8',
    );
  });
});

describe('the port', () => {
  let server: Server;
  afterEach(() => server.close());
  function guardIt(port: Server, refusedReason: (request: IncomingMessage) => string | undefined, secure: boolean): void {
    const guard = guardPort(port, { upgrades: () => true, refusedReason, secure });
    port.on('request', (request, response) => void (guard.refuse(request, response) || response.end('a secret')));
  }
  async function open(refusedReason: () => string | undefined, secure = false): Promise<string> {
    server = createServer();
    guardIt(server, refusedReason, secure);
    server.on('upgrade', (_request, socket) => !socket.destroyed && socket.end('HTTP/1.1 101 Switching Protocols\r\n\r\n'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  it('[issue 10.5] answers nothing over a way that is refused but what monitors ask', async () => {
    const address = await open(() => 'not this way');
    for (const path of ['/', '/api/v1/session', '/healthz/..', '/sign-in']) {
      const answer = await fetch(`${address}${path}`);
      expect([answer.status, await answer.text()]).toEqual([403, 'not this way\n']);
    }
    for (const path of ['/healthz', '/readyz', '/metrics?x=1']) expect((await fetch(`${address}${path}`)).status).toBe(200);
  });

  it.each([
    ['refused', () => 'not this way', ''],
    ['good', () => undefined, 'HTTP/1.1 101 Switching Protocols\r\n\r\n'],
  ])('[issue 10.5] opens a socket over a way that is %s or not', async (_what, why, expected) => {
    const { port } = new URL(await open(why));
    const client = connect(Number(port), '127.0.0.1');
    client.write('GET /socket.io/ HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
    let text = '';
    for await (const chunk of client) text += String(chunk);
    expect(text).toBe(expected);
  });

  it('[issue 10.5] guards the path of live connections as any other, which come by upgrades alone', async () => {
    const refusedReason = ({ headers }: IncomingMessage) => (headers.via === undefined ? undefined : 'not this way');
    await using hub = await startHub({ topics: { inbox: [] }, prepare: (port) => guardIt(port, refusedReason, true) });
    for (const path of ['/socket.io/?EIO=4&transport=polling', '/socket.io/socket.io.js', '/elsewhere']) {
      const answer = await fetch(`http://127.0.0.1:${hub.port}${path}`);
      expect([answer.headers.get('cross-origin-resource-policy'), answer.headers.get('strict-transport-security')]).toEqual([
        'same-origin',
        'max-age=31536000',
      ]);
      expect((await fetch(`http://127.0.0.1:${hub.port}${path}`, { headers: { via: 'x' } })).status).toBe(403);
    }
    expect(await admission(hub.connect())).toBeUndefined();
  });

  it('[issue 10.5] tells browsers to come by https only where they do, and keeps other sites out of every answer', async () => {
    const { headers } = await fetch(await open(() => undefined, true));
    expect(headers.get('strict-transport-security')).toBe('max-age=31536000');
    expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
    expect(headers.get('cross-origin-embedder-policy')).toBe('require-corp');
    expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
    server.close();
    expect((await fetch(await open(() => undefined))).headers.get('strict-transport-security')).toBeNull();
  });
});

it('[issue 10.5] metrics that are served name no object, and still tell how the engines do', async () => {
  const metrics = createMetrics();
  const clock = new ManualClock();
  const store = new FakeStore();
  store.put({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'canary-object', namespace: 'canary-place', creationTimestamp: '2026-01-01T00:00:00Z' },
  });
  const deps = { clock, random: createRandom(1), log: silentLog, metrics };
  const reconcile = async () => settled();
  await using controller = createController({ name: 'keeper', sources: [{ store }], reconcile }, deps);
  await controller.start();
  await clock.settle();
  expect(await metrics.metrics()).toContain('canary-object');
  const served = await renderMetrics(metrics);
  expect(served).not.toMatch(/canary/);
  expect(served).toContain('controller="keeper"');
});

it('[issue 10.5] no referrer carries the token of a sign-in link, and other pages tell their own site only', () => {
  const policyOf = (path: string) => proxy(new NextRequest(`http://127.0.0.1:3000${path}`)).headers.get('referrer-policy');
  expect([policyOf('/sign-in?token=secret'), policyOf('/rollouts')]).toEqual(['no-referrer', 'same-origin']);
});

it('[issue 10.5] a cookie of another server on the same host is not ours, and ours does not end theirs', async () => {
  const [one, two] = [createAuthRig({}, { instance: 'one' }), createAuthRig({}, { instance: 'two' })];
  const [first, second] = [await one.signIn(), await two.signIn()];
  const both = `${first.cookie}; ${second.cookie}`;
  expect(await one.auth.readSession(both)).toMatchObject({ id: first.session.id });
  expect(await two.auth.readSession(both)).toMatchObject({ id: second.session.id });
  expect(cookieOf(await one.auth.signOut(first.session)).split('=')[0]).toBe('slipway_session_one');
  expect(await two.auth.readSession(both)).toMatchObject({ id: second.session.id });
});
