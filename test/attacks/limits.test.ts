import { expect, it } from 'vitest';
import { createApiRig } from '@/test/server/api/rig';
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
