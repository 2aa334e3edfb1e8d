import { expect, it } from 'vitest';
import { toOpenApi } from '@/server/api/openapi';
import { ROUTES } from '@/server/api/routes';
import { applicationSchema } from '@/server/application';
import { createApiRig } from '@/test/server/api/rig';
import { eventsOf } from '@/test/server/api/status-rig';
import { cookieOf, createAuthRig } from '@/test/server/auth/rig';
import { admission, startHub, subscribe } from '@/test/server/realtime/rig';

const TOKENS = { tokens: { 'head.ada.sig': { username: 'ada', groups: [] }, 'head.bob.sig': { username: 'bob', groups: [] } } };

it('[issue 10.4] a stranger who tries tokens is stopped after ten, and locks nobody out', async () => {
  const { auth, clock } = createAuthRig(TOKENS, { mode: 'token' });
  const attack = (at: number) => auth.signIn(`head.guess-${at}.sig`, undefined, { source: '203.0.113.9' });
  for (let at = 0; at < 10; at++) await expect(attack(at)).rejects.toMatchObject({ code: 'unauthenticated' });
  await expect(attack(10)).rejects.toMatchObject({
    code: 'too-many',
    message: expect.stringContaining('10 sign-ins from 203.0.113.9 failed'),
    details: { retryAfterSeconds: 60 },
  });
  expect((await auth.signIn('head.ada.sig', undefined, { source: '203.0.113.10' })).session.user).toBe('ada');
  await clock.advance(60_000);
  await expect(attack(11)).rejects.toMatchObject({ code: 'unauthenticated' });
});

it('[issue 10.4] one token is tried ten times from however many addresses, and the tokens of others go on', async () => {
  const { auth } = createAuthRig(TOKENS, { mode: 'token' });
  const attack = (at: number) => auth.signIn(`head.ada.guess-${at}`, undefined, { source: `203.0.113.${at}` });
  for (let at = 0; at < 10; at++) await expect(attack(at)).rejects.toMatchObject({ code: 'unauthenticated' });
  await expect(attack(10)).rejects.toMatchObject({ code: 'too-many', message: expect.stringContaining('with this token') });
  expect((await auth.signIn('head.bob.sig', undefined, { source: '203.0.113.77' })).session.user).toBe('bob');
});

it('[issue 10.4] tokens that sign in are never counted', async () => {
  const { auth } = createAuthRig(TOKENS, { mode: 'token', maxSessions: 100 });
  for (let at = 0; at < 30; at++) await auth.signIn('head.ada.sig', undefined, { source: '203.0.113.9' });
});

it('[issue 10.4] a person has ten sessions: one more ends the oldest, here and in the store, and nobody else’s', async () => {
  const { auth, rows, clock } = createAuthRig(TOKENS, { mode: 'token' });
  const cookies: string[] = [];
  const other = await auth.signIn('head.bob.sig');
  const ended: string[] = [];
  for (let at = 0; at < 11; at++) {
    const { session, setCookie } = await auth.signIn('head.ada.sig');
    if (at === 0) auth.onEnd(session, (reason) => ended.push(reason));
    cookies.push(cookieOf(setCookie));
    await clock.advance(1);
  }
  expect(ended).toEqual(['You signed in elsewhere, and this was the oldest of your sessions.']);
  const known = await Promise.all(cookies.map((cookie) => auth.readSession(cookie)));
  expect(known.map((session) => session !== undefined)).toEqual([false, ...Array.from({ length: 10 }, () => true)]);
  expect([...rows.values()].filter(({ user }) => user === 'ada')).toHaveLength(10);
  expect(await auth.readSession(cookieOf(other.setCookie))).toMatchObject({ user: 'bob' });
  for (let at = 0; at < 300; at++) await auth.signIn('head.ada.sig', undefined, { isCommand: true });
  expect(await auth.readSession(cookies.at(-1))).toMatchObject({ user: 'ada' });
});

it('[issue 10.4] a session of a command is one after a restart as well: it takes no place among those of browsers', async () => {
  const before = createAuthRig(TOKENS, { mode: 'token' });
  const command = cookieOf((await before.auth.signIn('head.ada.sig', undefined, { isCommand: true })).setCookie);
  const { auth, clock } = createAuthRig(TOKENS, { mode: 'token', store: before.deps.store });
  expect(await auth.readSession(command)).toMatchObject({ user: 'ada' });
  const browsers: string[] = [];
  for (let at = 0; at < 10; at++) {
    browsers.push(cookieOf((await auth.signIn('head.ada.sig')).setCookie));
    await clock.advance(1);
  }
  const known = await Promise.all([command, ...browsers].map((cookie) => auth.readSession(cookie)));
  expect(known.map((session) => session?.user)).toEqual(Array(11).fill('ada'));
});

it('[issue 10.4] requests beyond the burst are refused with the limit and when to try again, and others are served', async () => {
  const rig = await createApiRig();
  const answers = await Promise.all(Array.from({ length: 101 }, () => rig.send('/api/v1/session')));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(100);
  const refused = answers.find(({ status }) => status === 429);
  expect(refused?.headers.get('retry-after')).toBe('1');
  expect(await refused?.text()).toContain('50 requests per second and 100 at once');
  const token = await rig.auth.createLink(rig.session, 'viewer');
  const { setCookie } = await rig.auth.signIn(token);
  expect((await rig.send('/api/v1/session', { headers: { cookie: cookieOf(setCookie) } })).status).toBe(200);
  await rig.clock.advance(1000);
  const later = await Promise.all(Array.from({ length: 51 }, () => rig.send('/api/v1/session')));
  expect(later.filter(({ status }) => status === 200)).toHaveLength(50);
});

it('[issue 10.4] health is told to whoever asks, however often', async () => {
  const rig = await createApiRig();
  const answers = await Promise.all(Array.from({ length: 300 }, () => rig.send('/healthz', { headers: { cookie: '' } })));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
});

it('[issue 10.4] the schema of an application is made once, however often it is asked for, and says what it said', async () => {
  const rig = await createApiRig();
  const ask = async () => (await rig.send('/api/v1/schemas/application')).text();
  expect(JSON.parse(await ask())).toMatchObject({ title: 'Application', required: ['apiVersion', 'kind', 'metadata', 'spec'] });
  expect(await ask()).toBe(await ask());
  expect(applicationSchema()).toBe(applicationSchema());
});

it('[issue 10.4] the description of the API, which nobody needs to sign in for, is made once, however often a stranger asks', async () => {
  const rig = await createApiRig();
  const ask = async () => (await rig.send('/api/v1/openapi.json', { headers: { cookie: '' } })).text();
  const cost = async (work: () => Promise<unknown>) => {
    const before = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(before);
    return user + system;
  };
  const text = await ask();
  expect(JSON.parse(text)).toMatchObject({ openapi: '3.1.0' });
  const asked = await cost(async () => {
    for (let at = 0; at < 20; at++) expect(await ask()).toBe(text);
  });
  const made = await cost(async () => {
    for (let at = 0; at < 20; at++) toOpenApi(ROUTES);
  });
  expect(asked).toBeLessThan(made / 2); // made anew each time it would be more
});

it('[issue 10.4] the record is exported and checked by a person once at a time, and again once that is over or cancelled', async () => {
  const rig = await createApiRig();
  const [entry] = rig.entries;
  if (entry !== undefined) rig.entries.push(...Array.from({ length: 1000 }, () => entry)); // more than is sent at once
  const first = await rig.send('/api/v1/activity/export');
  const second = await rig.send('/api/v1/activity/verify');
  expect([first.status, second.status, second.headers.get('retry-after')]).toEqual([200, 429, '10']);
  await first.body?.cancel();
  expect((await rig.send('/api/v1/activity/verify')).status).toBe(200);
  expect(await (await rig.send('/api/v1/activity/export')).text()).not.toBe('');
  expect((await rig.send('/api/v1/activity/export')).status).toBe(200);
});

it('[issue 10.4] of searches and previews of a person two are under way at once, the others wait, and another person is served at once', async () => {
  const answers: (() => void)[] = [];
  const body = async function* () {
    yield Buffer.from(JSON.stringify({ kind: 'Table', columnDefinitions: [], rows: [], metadata: {} }));
  };
  const rig = await createApiRig({
    request: () => new Promise((resolve) => answers.push(() => resolve({ status: 200, headers: {}, body: body() }))),
  });
  const { setCookie } = await rig.auth.signIn(await rig.auth.createLink(rig.session, 'viewer'));
  const search = (cookie = rig.cookie) => rig.send('/api/v1/kinds/core/ConfigMap/table?q=web', { headers: { cookie } });
  const asked = Array.from({ length: 52 }, () => search());
  await expect.poll(() => answers.length).toBe(2);
  const more = await search();
  expect([more.status, more.headers.get('retry-after')]).toEqual([429, '1']);
  const AN_ACT = { verb: 'delete', targets: [{ apiVersion: 'v1', kind: 'ConfigMap', ns: 'shop', name: 'web', uid: 'u' }], dryRun: true };
  expect((await rig.send('/api/v1/objects/actions', { body: AN_ACT })).status).toBe(429);
  const searches = ['q=web', 'application=web', 'result=failed', 'act=decision', 'from=2026-01-01T00:00:00Z', 'to=2026-01-01T00:00:00Z'];
  for (const query of searches) expect((await rig.send(`/api/v1/activity?${query}`)).status).toBe(429);
  // What costs little waits for none of it.
  for (const path of ['/api/v1/session', '/api/v1/activity', '/api/v1/activity?who=ann&act=decision.approve&ns=shop'])
    expect((await rig.send(path)).status).toBe(200);
  const other = search(cookieOf(setCookie));
  await expect.poll(() => answers.length).toBe(3);
  for (let at = 0; at < 53; at++) {
    await expect.poll(() => answers.length).toBeGreaterThan(at);
    answers[at]?.();
  }
  const statuses = (await Promise.all([...asked, other])).map(({ status }) => status);
  expect(statuses).toEqual(Array(53).fill(200));
  const again = search();
  await expect.poll(() => answers.length).toBe(54);
  answers[53]?.();
  expect((await again).status).toBe(200);
});

it('[issue 10.4] whoever names objects without a right to them is stopped, what may be seen goes on, and what was given is still taken away', async () => {
  const mine = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', name: 'mine' };
  let may = true;
  const rig = await createApiRig({ may: ({ name, user }) => user === 'viewer' || (may && name === 'mine') });
  const ask = (
    objects: readonly object[],
    { path = '', cookie = rig.cookie }: { readonly path?: string; readonly cookie?: string } = {},
  ) => {
    const body = JSON.stringify({ objects });
    return rig.send(`/api/v1/status${path}`, { body, headers: { cookie, 'content-length': String(body.length) } });
  };
  const guess = (at: number) => Array.from({ length: 500 }, (_, name) => ({ ...mine, name: `guess-${at}-${name}` }));
  const stream = await ask([mine, { ...mine, name: 'guess' }], { path: '?watch' });
  for (let at = 0; at < 5; at++) expect((await ask(guess(at))).status).toBe(200);
  const stopped = await ask(guess(5));
  expect([stopped.status, stopped.headers.get('retry-after')]).toEqual([429, '10']);
  const before = rig.cluster.asked.length;
  for (let at = 6; at < 16; at++) await ask(guess(at));
  expect(rig.cluster.asked.length - before).toBeLessThan(500);
  expect((await ask([mine])).status).toBe(200);
  const { setCookie } = await rig.auth.signIn(await rig.auth.createLink(rig.session, 'viewer'));
  expect((await ask(guess(0), { cookie: cookieOf(setCookie) })).status).toBe(200);
  may = false;
  await rig.clock.advance(5000);
  const events = eventsOf(stream);
  expect(await events.next()).toMatchObject({ event: 'statuses' });
  await rig.clock.advance(5000);
  const told = await events.next();
  expect(told).toMatchObject({ event: 'change', data: { object: { name: 'mine', status: 'Unknown' } } });
  await events.cancel();
  await rig.clock.advance(10_000);
  expect((await ask(guess(0))).status).toBe(200);
});

it('[issue 10.4] a person has twenty live connections, over however many sessions, and another person is let in', async () => {
  await using rig = await startHub({ topics: { inbox: [] } });
  const browsers = Array.from({ length: 20 }, () => rig.connect());
  await Promise.all(browsers.map(admission));
  for (const browser of browsers) expect(await subscribe(browser, 'inbox')).toMatchObject({ kind: 'snapshot' });
  const more = rig.connect();
  const over = new Promise((resolve) => more.client.once('disconnect', resolve));
  await over;
  expect(more.ended).toEqual([expect.stringContaining('20 live connections')]);
  const { session } = await rig.auth
    .signIn(await rig.auth.createLink((await rig.auth.readSession(rig.cookie)) ?? never(), 'viewer'))
    .then(({ session, setCookie }) => ({ session, setCookie, other: rig.connect({ headers: { cookie: cookieOf(setCookie) } }) }));
  expect(session.user).toBe('viewer');
  await expect.poll(() => rig.hub.connected()).toBe(21);
});

function never(): never {
  throw new Error('nobody is signed in');
}
