import { describe, expect, it, vi } from 'vitest';
import { createAuth } from '@/server/auth';
import { decryptToken, encryptToken } from '@/server/auth/session';
import type { Store } from '@/server/store';
import { until } from '@/test/support/until';
import { silentLog } from '../../support/silent-log';
import { cookieOf, createAuthRig, createFakeStore } from './rig';

const HOUR = 3_600_000;

describe('signing in', () => {
  it('[design 13 L] takes the printed token once, as user operator of group slipway:operators', async () => {
    const { auth } = createAuthRig();
    const { session } = await auth.signIn(auth.firstToken ?? '');
    expect(session).toMatchObject({ user: 'operator', groups: ['slipway:operators'], mode: 'local', mayInvite: true });
    await expect(auth.signIn(auth.firstToken ?? '')).rejects.toMatchObject({ code: 'unauthenticated' });
  });

  it('[design 8] takes the token of the slipway command as often as it is given, in mode local only', async () => {
    const { auth } = createAuthRig();
    for (const _ of [1, 2]) {
      const { session } = await auth.signIn(auth.commandToken ?? '');
      expect(session).toMatchObject({ user: 'operator', groups: ['slipway:operators'], mayInvite: false });
    }
    expect(createAuthRig({}, { mode: 'token' }).auth.commandToken).toBeUndefined();
  });

  it.each(['0.0.0.0', '::', '192.168.1.4', 'slipway.example.com', '127.evil.example', ''])(
    '[design 8] in mode local refuses to listen on %j',
    (host) => {
      expect(() => createAuthRig({}, { host })).toThrow('listens on loopback addresses only');
    },
  );

  it.each(['127.0.0.1', '::1', 'localhost', '127.9.9.9'])('[design 8] in mode local listens on %s', (host) => {
    expect(createAuthRig({}, { host }).auth.firstToken).toMatch(/^[\w-]{43}$/);
  });

  it('[design 13 L] makes one-time links for a viewer, an operator and an approver, from the first session only', async () => {
    const { auth, signIn, clock } = createAuthRig();
    const { session } = await signIn();
    for (const role of ['viewer', 'operator', 'approver'] as const) {
      const link = await auth.createLink(session, role);
      const invited = (await auth.signIn(link)).session;
      expect(invited).toMatchObject({ user: role, groups: [`slipway:${role}s`], mayInvite: false });
      await expect(auth.signIn(link)).rejects.toMatchObject({ code: 'unauthenticated' });
      await expect(auth.createLink(invited, 'operator')).rejects.toMatchObject({ code: 'forbidden' });
    }
    const late = await auth.createLink(session, 'viewer');
    await clock.advance(HOUR);
    await expect(auth.signIn(late)).rejects.toMatchObject({ code: 'unauthenticated' });
  });

  it('[design 8] ends the session that was there, for its cookie, its sockets and the store', async () => {
    const { auth, signIn, rows } = createAuthRig();
    const { session, cookie } = await signIn();
    const ended: string[] = [];
    auth.onEnd(session, (reason) => ended.push(reason));
    const { setCookie } = await auth.signIn(await auth.createLink(session, 'viewer'), session);
    expect(ended).toEqual(['You signed in again.']);
    expect(await auth.readSession(cookie)).toBeUndefined();
    expect(await auth.readSession(cookieOf(setCookie))).toMatchObject({ user: 'viewer' });
    await until('the store has forgotten it', () => [...rows.values()].map(({ user }) => user).join() === 'viewer');
    await expect(auth.signIn('wrong', await auth.readSession(cookieOf(setCookie)))).rejects.toThrow();
    expect(await auth.readSession(cookieOf(setCookie))).toBeDefined();
  });

  it('[issue 10.6] goes on where the store cannot forget the session that was there, and says so in the log', async () => {
    const warned: unknown[] = [];
    const { store, rows } = createFakeStore();
    const sessions = { ...store.sessions, end: () => Promise.reject(new Error('disk full')) };
    const log = { ...silentLog, warn: (...said: readonly unknown[]) => void warned.push(...said) };
    const { auth, signIn } = createAuthRig({}, { store: async () => ({ ...store, sessions }), log });
    const { session } = await signIn();
    const ended: string[] = [];
    auth.onEnd(session, (reason) => ended.push(reason));
    expect(await auth.signIn(await auth.createLink(session, 'viewer'), session)).toMatchObject({ session: { user: 'viewer' } });
    expect(ended).toEqual(['You signed in again.']);
    await until('the store was asked', () => warned.length > 0);
    expect(JSON.stringify(warned)).toContain('disk full');
    expect(rows.size).toBeGreaterThan(0);
  });

  it('[design 13 L] makes no links outside the demonstration', async () => {
    const { auth, signIn } = createAuthRig({}, { mayInvite: false });
    const { session } = await signIn();
    await expect(auth.createLink(session, 'viewer')).rejects.toMatchObject({ code: 'forbidden' });
  });

  it('[design 8] in mode token asks the cluster whose token it is and acts with it', async () => {
    const tokens = { 'tok-ada': { username: 'ada', groups: ['team', 'system:authenticated'] } };
    const { auth } = createAuthRig({ tokens }, { mode: 'token', host: '0.0.0.0' });
    expect(auth.firstToken).toBeUndefined();
    const { session } = await auth.signIn('tok-ada');
    expect(session).toMatchObject({ user: 'ada', person: { user: 'ada', groups: ['team'], token: 'tok-ada' } });
    await expect(auth.signIn('tok-eve')).rejects.toMatchObject({ code: 'unauthenticated' });
  });

  it.each(['system:admin', 'system:kube-scheduler', 'system:node:n1', '', ' '])('[design 8] refuses a token of %j', async (username) => {
    const { auth } = createAuthRig({ tokens: { tok: { username, groups: [] } } }, { mode: 'token' });
    await expect(auth.signIn('tok')).rejects.toThrow();
  });

  it.each(['ann\nbob', 'ann\r', 'ann\u0000', '\u001b[2Jann'])(
    '[issue 10, 2] refuses a token of a name with line breaks or other control characters: %j',
    async (username) => {
      const { auth } = createAuthRig({ tokens: { tok: { username, groups: [] } } }, { mode: 'token' });
      await expect(auth.signIn('tok')).rejects.toMatchObject({
        code: 'forbidden',
        message: expect.stringContaining('must not contain line breaks'),
      });
    },
  );

  it.each(['ann ', ' ann', '\u2003ann'])('[issue 10.1] refuses a token of a name with white space around it: %j', async (username) => {
    const { auth } = createAuthRig({ tokens: { tok: { username, groups: [] } } }, { mode: 'token' });
    await expect(auth.signIn('tok')).rejects.toMatchObject({ code: 'forbidden', message: expect.stringContaining('white space') });
  });

  it('[design 8] lets service accounts in, and never impersonates groups of the system', async () => {
    const username = 'system:serviceaccount:shop:robot';
    const { auth } = createAuthRig(
      { tokens: { tok: { username, groups: ['system:serviceaccounts', 'system:masters', 'bots'] } } },
      { mode: 'token' },
    );
    const { session } = await auth.signIn('tok');
    expect(session.person).toMatchObject({ user: username, groups: ['bots'] });
  });
});

describe('a session', () => {
  it('[design 8] is an opaque cookie that scripts cannot read, found by its hash', async () => {
    const { auth, rows } = createAuthRig();
    const { setCookie } = await auth.signIn(auth.firstToken ?? '');
    expect(setCookie).toMatch(/^slipway_session_test=[\w-]{43}; Max-Age=43200; Path=\/; HttpOnly; SameSite=Lax$/);
    const secret = cookieOf(setCookie).split('=')[1] ?? '';
    expect(JSON.stringify([...rows])).not.toContain(secret);
    expect(await auth.readSession(`a=b; ${cookieOf(setCookie)}; c=d`)).toMatchObject({ user: 'operator' });
  });

  it('[design 8] has a secure cookie bound to the host on https', async () => {
    const { auth } = createAuthRig({}, { secure: true });
    const { setCookie } = await auth.signIn(auth.firstToken ?? '');
    expect(setCookie).toMatch(/^__Host-slipway_session_test=.*; Secure$/);
    expect(await auth.readSession(cookieOf(setCookie).replace('__Host-', ''))).toBeUndefined();
  });

  it.each([
    null,
    '',
    'slipway_session_test=',
    'slipway_session_test=short',
    `slipway_session_test=${'x'.repeat(43)}`,
    `x=${'y'.repeat(20_000)}`,
    'slipway_session_test=../../etc',
  ])('[design 8] is nobody’s with the cookie %j', async (header) => {
    expect(await createAuthRig().auth.readSession(header)).toBeUndefined();
  });

  it('[design 8] outlives a restart, and opens its cluster token with the cookie only', async () => {
    const { auth, deps, rows } = createAuthRig({ tokens: { 'tok-ada': { username: 'ada', groups: ['team'] } } }, { mode: 'token' });
    const { setCookie } = await auth.signIn('tok-ada');
    await vi.waitFor(() => expect(rows.size).toBe(1));
    expect(JSON.stringify([...rows])).not.toContain('tok-ada');
    const restarted = createAuth(deps);
    expect((await restarted.readSession(cookieOf(setCookie)))?.person).toMatchObject({ user: 'ada', token: 'tok-ada' });
  });

  it('[design 8] says that the store is not open rather than that nobody is signed in', async () => {
    const { auth } = createAuthRig({}, { store: () => Promise.reject(new Error('disk full')) });
    await expect(auth.readSession(`slipway_session_test=${'x'.repeat(43)}`)).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('[issue 10.6] signs in and out while the store does not open', async () => {
    const { auth } = createAuthRig({}, { store: () => Promise.reject(new Error('disk full')) });
    const { setCookie } = await auth.signIn(auth.firstToken ?? '');
    const session = await auth.readSession(cookieOf(setCookie));
    if (session === undefined) throw new Error('a session was wanted');
    await auth.signOut(session);
    await expect(auth.readSession(cookieOf(setCookie))).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('[design 8] does not wait for the store to be opened', async () => {
    const { auth } = createAuthRig({}, { store: () => new Promise<Store>(() => undefined) });
    const { setCookie } = await auth.signIn(auth.firstToken ?? '');
    expect(await auth.readSession(cookieOf(setCookie))).toMatchObject({ user: 'operator' });
  });

  it('[design 8] ends when its time is over, and tells whoever listens', async () => {
    const { auth, signIn, clock } = createAuthRig();
    const { session, cookie } = await signIn();
    const reasons: string[] = [];
    auth.onEnd(session, (reason) => reasons.push(reason));
    await clock.advance(12 * HOUR - 1);
    expect(reasons).toEqual([]);
    await clock.advance(1);
    expect(reasons).toEqual(['The session has expired: sign in again.']);
    auth.onEnd(session, (reason) => reasons.push(reason));
    expect(reasons).toHaveLength(2);
    expect(cookie).toBeTruthy();
  });

  it('[design 8] ends everywhere when somebody signs out', async () => {
    const { auth, signIn, deps, clock } = createAuthRig();
    const { session, cookie } = await signIn();
    const replica = createAuth(deps);
    expect(await replica.readSession(cookie)).toMatchObject({ user: 'operator' });
    expect(await auth.signOut(session)).toContain('Max-Age=0');
    expect(await auth.readSession(cookie)).toBeUndefined();
    await clock.advance(60_000);
    expect(await replica.readSession(cookie)).toBeUndefined();
  });

  it('[design 8] ends within a minute after the cluster revoked its token', async () => {
    const tokens: Record<string, { username: string; groups: string[] }> = { tok: { username: 'ada', groups: [] } };
    const { auth, clock } = createAuthRig({ tokens }, { mode: 'token' });
    const { setCookie } = await auth.signIn('tok');
    delete tokens.tok;
    await clock.advance(60_000);
    expect(await auth.readSession(cookieOf(setCookie))).toBeUndefined();
  });

  it('[design 8] gives no credential to a cookie it was not sealed with', () => {
    const sealed = encryptToken('credential', 'cookie-a');
    expect(decryptToken(sealed, 'cookie-a')).toBe('credential');
    expect(decryptToken(sealed, 'cookie-b')).toBeUndefined();
    expect(decryptToken(`${sealed.slice(0, -2)}xx`, 'cookie-a')).toBeUndefined();
    expect(decryptToken('', 'cookie-a')).toBeUndefined();
  });
});
