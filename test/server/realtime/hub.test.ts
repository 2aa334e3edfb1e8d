import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import { describe, expect, it } from 'vitest';
import { formatTopic, parseTopic } from '@/lib/contract/topic';
import { createFastClock } from '../../support/fast-clock';
import { until } from '../../support/until';
import type { AskedRight } from '../auth/fake-cluster';
import { admission, startHub, subscribe } from './rig';

const row = (key: string, value: unknown = 0) => ({ key, value });

describe('the door of the hub', () => {
  it.each([
    ['a page of ours', (cookie: string, port: number) => ({ cookie, origin: `http://127.0.0.1:${port}` }), true],
    ['a client that is no browser', (cookie: string) => ({ cookie }), true],
    ['a page of another site with the cookie', (cookie: string) => ({ cookie, origin: 'https://evil.example' }), false],
    ['somebody without a cookie', () => ({}) as Record<string, string>, false],
    ['somebody with a made-up cookie', () => ({ cookie: `slipway_session=${'x'.repeat(43)}` }), false],
  ])('[design 8] lets in who is signed in and comes from our pages: %s', async (_who, headersOf, welcome) => {
    await using rig = await startHub();
    const outcome = await admission(rig.connect({ headers: headersOf(rig.cookie, rig.port) }));
    expect(outcome === undefined).toBe(welcome);
    expect(rig.hub.connected()).toBe(welcome ? 1 : 0);
  });

  it('[issue 14.2] lets a page notice within ten seconds that nothing comes any more', async () => {
    await using rig = await startHub();
    const { client } = rig.connect();
    const agreed = new Promise<{ readonly pingInterval: number; readonly pingTimeout: number }>((resolve) =>
      client.io.engine.once('handshake', resolve),
    );
    const { pingInterval, pingTimeout } = await agreed;
    expect(pingInterval, 'a page hears something often enough').toBeLessThanOrEqual(5000);
    expect(pingTimeout, 'a pause of the network ends no terminal').toBeGreaterThanOrEqual(20_000);
  });

  it('[issue 14.3] tells whoever has as many connections as one person may have that the session lasts', async () => {
    await using rig = await startHub();
    const held = Array.from({ length: 20 }, () => rig.connect());
    await Promise.all(held.map(admission));
    const told: unknown[][] = [];
    const oneMore = rig.connect();
    oneMore.client.on('ended', (...said) => told.push(said));
    await until('it is told', () => told.length > 0);
    expect(told).toEqual([
      [expect.stringMatching(/ has 20 live connections, which is the limit for one person: close a tab\.$/), 'reload'],
    ]);
    expect(rig.hub.connected()).toBe(20);
  });
});

describe('a subscription', () => {
  it('[design 7] begins with a snapshot, and everybody gets the same delta of one computation', async () => {
    await using rig = await startHub({ topics: { inbox: [row('a'), row('b')] } });
    const browsers = [rig.connect(), rig.connect(), rig.connect()];
    for (const browser of browsers)
      expect(await subscribe(browser, 'inbox')).toMatchObject({ kind: 'snapshot', snapshot: { order: ['a', 'b'] } });
    expect(rig.readModel.opened).toEqual(['inbox *']);
    const before = rig.readModel.refreshes();
    rig.readModel.put('inbox', row('b', 1));
    await until('all have the row', () => browsers.every(({ rows }) => rows.length === 1));
    expect(rig.readModel.refreshes()).toBe(before + 1);
    for (const { rows } of browsers)
      expect(rows[0]).toMatchObject({ topic: 'inbox', delta: { order: ['a', 'b'], rows: [{ key: 'b', value: 1 }] } });
  });

  it('[style 1.4] that comes back gets what it missed', async () => {
    await using rig = await startHub({ topics: { inbox: [row('a')] } });
    const first = rig.connect();
    const answer = await subscribe(first, 'inbox');
    const since = answer.kind === 'snapshot' ? answer.snapshot.seq : undefined;
    first.client.disconnect();
    await until('it is gone', () => rig.hub.connected() === 0);
    rig.readModel.put('inbox', row('a', 7));
    const second = rig.connect();
    expect(await subscribe(second, 'inbox', since)).toMatchObject({ kind: 'resumed', delta: { rows: [{ key: 'a', value: 7 }] } });
    expect(rig.readModel.refreshes()).toBe(1);
    expect(await subscribe(second, 'inbox', { bootId: 'earlier', seq: 3 })).toMatchObject({ kind: 'snapshot' });
  });

  it('[design 7] that ended hears no more', async () => {
    await using rig = await startHub({ topics: { inbox: [row('a')], status: [row('status')] } });
    const browser = rig.connect();
    await subscribe(browser, 'inbox');
    await subscribe(browser, 'status');
    browser.client.emit('unsubscribe', 'inbox');
    await subscribe(browser, 'status'); // what was said before it has been heard
    rig.readModel.put('inbox', row('a', 1));
    rig.readModel.put('status', row('status', 1));
    await until('the other topic arrives', () => browser.rows.length > 0);
    rig.readModel.put('status', row('status', 2));
    await until('it arrives again', () => browser.rows.length > 1);
    expect(browser.rows.map(({ topic }) => topic)).toEqual(['status', 'status']);
  });

  it('[design 8] shows each person what they may see, and refuses the rest', async () => {
    await using rig = await startHub({
      topics: { inbox: [row('a')], 'rollout/shop/web': [row('shop/web')] },
      rules: { namespaces: ['bank', 'shop'], may: ({ resource, namespace }) => resource === 'applications' && namespace === 'shop' },
    });
    const browser = rig.connect();
    expect(await subscribe(browser, 'inbox')).toMatchObject({ kind: 'snapshot' });
    expect(rig.readModel.opened).toEqual(['inbox shop']);
    expect(await subscribe(browser, 'rollout/shop/web')).toMatchObject({
      kind: 'refused',
      code: 'forbidden',
      message: expect.stringContaining('operator may not'),
    });
    expect(await subscribe(browser, 'engine')).toMatchObject({ kind: 'refused', code: 'forbidden' });
  });

  it('[design 7] to what does not exist is refused', async () => {
    await using rig = await startHub();
    const browser = rig.connect();
    expect(await subscribe(browser, 'rollout/shop/none')).toMatchObject({ kind: 'refused', code: 'not-found' });
  });

  it('[design 7] to a list that is narrowed by all that it can be is as good as any', async () => {
    const narrowed = parseTopic(`applications?q=${'q'.repeat(500)}&labels=${encodeURIComponent('a=b,'.repeat(120))}c%3Dd`);
    const topic = narrowed === undefined ? '' : formatTopic(narrowed);
    expect(topic.length).toBeGreaterThan(1000);
    await using rig = await startHub({ topics: { [topic]: [row('a')] } });
    expect(await subscribe(rig.connect(), topic)).toMatchObject({ kind: 'snapshot' });
  });

  it('[design 8] to the topic after the two-hundredth is refused, until another is given up', async () => {
    const names = Array.from({ length: 201 }, (_, at) => `tracker/t${at}`);
    await using rig = await startHub({ topics: Object.fromEntries(names.map((name) => [name, [row(name)]])) });
    const browser = rig.connect();
    for (const name of names.slice(0, 200)) expect(await subscribe(browser, name)).toMatchObject({ kind: 'snapshot' });
    expect(await subscribe(browser, 'tracker/t200')).toMatchObject({ kind: 'refused', code: 'too-many' });
    browser.client.emit('unsubscribe', 'tracker/t0');
    expect(await subscribe(browser, 'tracker/t200')).toMatchObject({ kind: 'snapshot' });
  });
});

describe('what a hostile client sends', () => {
  const HOSTILE: readonly unknown[] = [
    undefined,
    null,
    7,
    'inbox',
    [],
    {},
    { topic: 7 },
    { topic: 'nonsense' },
    { topic: 'x'.repeat(9000) },
    { topic: 'inbox', since: { bootId: 1, seq: -1 } },
    { topic: '__proto__' },
    { topic: 'applications?page=0' },
    { topic: 'rollout/shop' },
  ];

  it.each(HOSTILE)('[design 8] is refused and harms nobody: %j', async (payload) => {
    await using rig = await startHub({ topics: { inbox: [row('a')] } });
    const browser = rig.connect();
    const emit = browser.client.emit.bind(browser.client) as (event: string, ...payload: unknown[]) => unknown;
    const answer = await new Promise((resolve) => emit('subscribe', payload, resolve));
    expect(answer).toMatchObject({ kind: 'refused', code: 'invalid' });
    emit('subscribe', payload);
    emit('subscribe');
    emit('unsubscribe', payload);
    emit('rows', 'inbox', {});
    emit('shutdown');
    expect(await subscribe(browser, 'inbox')).toMatchObject({ kind: 'snapshot' });
  });

  it('[design 8] in a message that is too large ends its connection', async () => {
    await using rig = await startHub({ topics: { inbox: [row('a')] } });
    const browser = rig.connect();
    await admission(browser);
    browser.client.emit('unsubscribe', 'x'.repeat(20_000));
    await once(browser.client as never, 'disconnect');
    await until('it is forgotten', () => rig.hub.connected() === 0);
  });

  it.each(['unsubscribe', 'whatever'])('[design 8] too often ends its connection: %s', async (event) => {
    await using rig = await startHub({ topics: { inbox: [row('a')] } });
    const browser = rig.connect();
    await admission(browser);
    const over = once(browser.client as never, 'disconnect');
    for (let at = 0; at < 400; at++) browser.client.emit(event as 'unsubscribe', 'inbox');
    await over;
    expect(rig.hub.connected()).toBe(0);
  });

  it('[design 8] over many connections is counted as one: who goes on is cut off', async () => {
    await using rig = await startHub({ clock: createFastClock(0.1), topics: { inbox: [row('inbox')] } });
    const browsers = Array.from({ length: 7 }, () => rig.connect());
    for (const browser of browsers) expect(await subscribe(browser, 'inbox')).toMatchObject({ kind: 'snapshot' });
    for (const { client } of browsers) for (let at = 0; at < 100; at++) client.emit('unsubscribe', 'inbox');
    await until('those that went on are cut off', () => browsers.some(({ client }) => client.disconnected));
  });
});

describe('a browser that does not read', () => {
  it('[design 7] is dropped to reset, never buffered for, and the others go on', async () => {
    const big = (at: number) => row('a', `${at}`.padEnd(400_000, 'x'));
    await using rig = await startHub({ topics: { inbox: [big(0)], status: [row('status')] }, clock: createFastClock(10) });
    const quick = rig.connect();
    await subscribe(quick, 'inbox');
    const slow = await stalledBrowser(rig.port, rig.cookie);
    slow.send('42["subscribe",{"topic":"inbox"}]');
    slow.send('420["subscribe",{"topic":"inbox"}]');
    await until('it is subscribed', () => slow.received() > 100);
    slow.stall();
    for (let at = 1; at <= 60; at++) {
      rig.readModel.put('inbox', big(at));
      await until(`the quick one has change ${at}`, () => quick.rows.length >= at);
    }
    expect(quick.rows).toHaveLength(60);
    expect(quick.resets).toEqual([]);
    const metrics = await rig.metrics.getMetricsAsJSON();
    expect(metrics.find(({ name }) => name === 'slipway_live_slow_resets_total')?.values).toMatchObject([{ value: 1 }]);
    // What was underway when it stalled is a few messages of 400 kB, not sixty.
    slow.read();
    await until('it is told to read again', () => slow.tail().includes('"reset","inbox"'));
    expect(slow.received()).toBeLessThan(60 * 400_000 * 0.5);
    slow.end();
  });
});

describe('when a session or a right ends', () => {
  it('[design 8] the browser is told and cut off', async () => {
    await using rig = await startHub({ topics: { inbox: [row('a')] } });
    const browser = rig.connect();
    await subscribe(browser, 'inbox');
    const session = await rig.auth.readSession(rig.cookie);
    if (session !== undefined) await rig.auth.signOut(session);
    await until('it is cut off', () => !browser.client.connected);
    expect(browser.ended).toEqual(['You signed out.']);
    expect(await admission(rig.connect())).toBeDefined();
  });

  it('[design 8] a topic whose right is lost is reset within five seconds and refused afterwards', async () => {
    let allowed = true;
    const may = ({ resource }: AskedRight) => allowed || resource !== 'rolloutorchestrators';
    await using rig = await startHub({
      topics: { inbox: [row('a')], 'rollout/shop/web': [row('shop/web')] },
      rules: { may },
      clock: createFastClock(100),
    });
    const browser = rig.connect();
    await subscribe(browser, 'inbox');
    await subscribe(browser, 'rollout/shop/web');
    allowed = false;
    await until('it is reset', () => browser.resets.length > 0);
    expect(browser.resets).toEqual(['rollout/shop/web']);
    rig.readModel.put('rollout/shop/web', row('shop/web', 'secret'));
    rig.readModel.put('inbox', row('a', 1));
    await until('the other topic goes on', () => browser.rows.length > 0);
    expect(browser.rows.map(({ topic }) => topic)).toEqual(['inbox']);
    expect(await subscribe(browser, 'rollout/shop/web')).toMatchObject({ kind: 'refused', code: 'forbidden' });
  });

  it('[design 8] a list that shows other namespaces now is read again', async () => {
    let namespace = 'shop';
    await using rig = await startHub({
      topics: { inbox: [row('a')] },
      rules: { namespaces: ['bank', 'shop'], may: (right) => right.namespace === namespace },
      clock: createFastClock(100),
    });
    const browser = rig.connect();
    await subscribe(browser, 'inbox');
    namespace = 'bank';
    await until('it is reset', () => browser.resets.length > 0);
    await subscribe(browser, 'inbox');
    await until('the right window is open', () => rig.readModel.opened.includes('inbox bank'));
  });
});

/** A websocket by hand, since a client library always reads. */
async function stalledBrowser(port: number, cookie: string) {
  const socket = connectTcp(port, '127.0.0.1');
  let received = 0;
  let tail = '';
  socket.on('data', (bytes) => {
    received += bytes.length;
    tail = `${tail}${bytes.toString('latin1')}`.slice(-2000);
  });
  const send = (text: string) => socket.write(maskedFrame(text));
  const key = randomBytes(16).toString('base64');
  socket.write(
    `GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nCookie: ${cookie}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: ${key}\r\nSec-WebSocket-Version: 13\r\n\r\n`,
  );
  await until('the socket is open', () => tail.includes('"sid"'));
  send('40');
  await until('the namespace is joined', () => tail.includes('40{"sid"'));
  received = 0;
  return {
    send,
    stall: () => socket.pause(),
    read: () => socket.resume(),
    received: () => received,
    tail: () => tail,
    end: () => socket.destroy(),
  };
}

function maskedFrame(text: string): Buffer {
  const body = Buffer.from(text);
  const mask = randomBytes(4);
  const length = body.length < 126 ? Buffer.from([0x80 | body.length]) : Buffer.from([0x80 | 126, body.length >> 8, body.length & 255]);
  return Buffer.concat([Buffer.from([0x81]), length, mask, body.map((byte, at) => byte ^ (mask[at % 4] ?? 0))]);
}
