import { describe, expect, it } from 'vitest';
import { isAppError } from '@/lib/contract/app-error';
import { createOrigins } from '@/server/auth';
import { createSessionCookie } from '@/server/auth/cookie';
import { isLoopback } from '@/server/auth/identity';
import { createSignInLimit } from '@/server/auth/sign-in-limit';
import { createSignInTokens, issueLink, localPeople } from '@/server/auth/sign-in-tokens';
import { systemIds } from '@/server/platform';
import { ManualClock } from '@/test/support/manual-clock';
import { until } from '@/test/support/until';
import { cookieOf, createAuthRig } from './rig';

const HOUR = 3_600_000;
const SECRET = 'x'.repeat(43);
const jwt = (claims: object) => `head.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.sig`;

describe('the cookie', () => {
  const cookie = createSessionCookie({ secure: false, instance: 'one' });
  const name = 'slipway_session_one';

  it.each([
    [`${name}=${SECRET}`, SECRET],
    [`a=b;${name}=${SECRET}`, SECRET],
    [`${name}=short; ${name}=${SECRET}`, SECRET],
    [`${name}=${'x'.repeat(31)}`, undefined],
    [`${name}=${'x'.repeat(32)}`, 'x'.repeat(32)],
    [`${name}=${'x'.repeat(64)}`, 'x'.repeat(64)],
    [`${name}=${'x'.repeat(65)}`, undefined],
    [`${name}=${SECRET}/..`, undefined],
    [`x${name}=${SECRET}`, undefined],
    [`${name}x=${SECRET}`, undefined],
    [name, undefined],
    [undefined, undefined],
  ])('[design 8] of %j is read as %j', (header, secret) => {
    expect(cookie.read(header)).toBe(secret);
  });

  it('[design 8] is not looked for in a header of more than 16 KiB', () => {
    const padded = (length: number) => `${name}=${SECRET}; ${'y'.repeat(length - name.length - SECRET.length - 3)}`;
    expect(padded(16_384)).toHaveLength(16_384);
    expect(cookie.read(padded(16_384))).toBe(SECRET);
    expect(cookie.read(padded(16_385))).toBeUndefined();
  });

  it.each([true, false])('[issue 10.5] is cleared as it was set: secure %s', (secure) => {
    const each = createSessionCookie({ secure, instance: 'one' });
    const [set, cleared] = [each.set(SECRET, 5), each.clear()].map((header) => header.split('; '));
    expect(set?.slice(2)).toEqual(cleared?.slice(2));
    expect([set?.[1], cleared?.[1]]).toEqual(['Max-Age=5', 'Max-Age=0']);
    expect(set?.includes('Secure')).toBe(secure);
    expect(cleared?.[0]).toBe(`${secure ? '__Host-' : ''}${name}=`);
  });
});

describe('an address', () => {
  it.each([
    ['localhost', true],
    ['127.0.0.1', true],
    ['127.255.255.254', true],
    ['::1', true],
    ['[::1]', true],
    ['::ffff:127.0.0.1', true],
    ['::FFFF:127.0.0.1', true],
    ['::ffff:10.0.0.1', false],
    ['x[::1]', false],
    ['[::1]x', false],
    ['1[27.0.0.1]', false],
    ['[127.0.0.]1', false],
    ['127.0.0.::ffff:1', false],
    ['1::ffff:127.0.0.1', false],
    ['128.0.0.1', false],
    ['127.0.0', false],
    ['1127.0.0.1', false],
    ['127.0.0.1.evil.example', false],
    ['127.0.0.1x', false],
    ['::11', false],
    ['localhost.evil.example', false],
    ['', false],
  ])('[design 8] %j is reached from this machine only: %s', (address, local) => {
    expect(isLoopback(address)).toBe(local);
  });

  it('[design 8] of a page is ours only where it is the one that is listened on', () => {
    const local = createOrigins({ publicUrl: undefined, host: '127.0.0.2', port: () => 3000 });
    for (const name of ['127.0.0.1', 'localhost', '[::1]', '127.0.0.2']) expect(local.isOurs(`http://${name}:3000`, 'any')).toBe(true);
    for (const origin of [
      'https://127.0.0.1:3000',
      'http://127.0.0.1:3001',
      'http://127.0.0.3:3000',
      'http://evil.example:3000',
      'null',
      '',
      null,
      undefined,
    ]) {
      expect(local.isOurs(origin, 'evil.example:3000')).toBe(false);
    }
    expect(local.address()).toBe('http://127.0.0.2:3000');
    expect(createOrigins({ publicUrl: undefined, host: '::1', port: () => 3000 }).address()).toBe('http://[::1]:3000');
    expect(createOrigins({ publicUrl: undefined, host: '[::1]', port: () => 3000 }).address()).toBe('http://[::1]:3000');
  });

  it('[design 8] that was configured is the only one where others are listened on, and one of two on this machine', () => {
    const open = createOrigins({ publicUrl: 'https://console.example.com/x', host: '0.0.0.0', port: () => 3000 });
    expect(open.address()).toBe('https://console.example.com');
    expect(open.isOurs('https://console.example.com', undefined)).toBe(true);
    for (const origin of ['http://console.example.com', 'https://10.0.0.1:3000', 'http://localhost:3000']) {
      expect(open.isOurs(origin, origin.split('//')[1])).toBe(false);
    }
    const local = createOrigins({ publicUrl: 'https://console.example.com', host: '127.0.0.1', port: () => 3000 });
    expect(local.isOurs('https://console.example.com', undefined)).toBe(true);
    expect(local.isOurs('http://localhost:3000', undefined)).toBe(true);
    const unnamed = createOrigins({ publicUrl: undefined, host: '0.0.0.0', port: () => 3000 });
    for (const scheme of ['http', 'https']) expect(unnamed.isOurs(`${scheme}://10.0.0.1:3000`, '10.0.0.1:3000')).toBe(true);
    for (const origin of ['https://evil.example', 'http://10.0.0.1:3001', 'ws://10.0.0.1:3000'])
      expect(unnamed.isOurs(origin, '10.0.0.1:3000')).toBe(false);
    expect(unnamed.isOurs('http://undefined', undefined)).toBe(false);
    expect(unnamed.isOurs('http://', '')).toBe(false);
  });
});

describe('tokens that sign in', () => {
  const rig = () => {
    const clock = new ManualClock();
    return { clock, tickets: createSignInTokens({ clock, ids: systemIds }) };
  };
  const ada = { user: 'ada', groups: [], mayInvite: false };

  it('[design 13 L] hold until their hour is over, and are worth nothing twice', async () => {
    const { clock, tickets } = rig();
    const [used, late, over] = [issueLink(tickets, 'viewer'), issueLink(tickets, 'viewer'), issueLink(tickets, 'viewer')];
    expect(tickets.redeem(used)).toMatchObject({ user: 'viewer' });
    expect(tickets.redeem(used)).toBeUndefined();
    await clock.advance(HOUR - 1);
    expect(tickets.redeem(late)).toMatchObject({ user: 'viewer', mayInvite: false });
    await clock.advance(1);
    expect(tickets.redeem(over)).toBeUndefined();
    expect(tickets.redeem('')).toBeUndefined();
  });

  it('[issue 10.4] are a hundred at most: one more ends the oldest link, and never those of the start', () => {
    const { tickets } = rig();
    const [first, standing] = [tickets.issue(ada), tickets.issueStanding(ada)];
    const links = Array.from({ length: 98 }, () => issueLink(tickets, 'viewer'));
    const another = issueLink(tickets, 'viewer');
    expect(tickets.redeem(links[0] ?? '')).toBeUndefined();
    expect(tickets.redeem(links[1] ?? '')).toBeDefined();
    for (const token of [another, first, standing, standing]) expect(tickets.redeem(token)).toBeDefined();
    expect(tickets.redeem(first)).toBeUndefined();
  });

  it('[issue 10.4] that are over make room before one that holds is ended', async () => {
    const { clock, tickets } = rig();
    const early = Array.from({ length: 50 }, () => issueLink(tickets, 'viewer'));
    await clock.advance(HOUR / 2);
    const kept = Array.from({ length: 50 }, () => issueLink(tickets, 'viewer'));
    await clock.advance(HOUR / 2);
    const another = issueLink(tickets, 'viewer');
    expect(early.map((token) => tickets.redeem(token))).toEqual(early.map(() => undefined));
    for (const token of [...kept, another]) expect(tickets.redeem(token)).toBeDefined();
  });

  it('[design 13 L] are those of the operator, and of an approver where people can be invited', () => {
    expect(localPeople(true).map(({ user }) => user)).toEqual(['operator', 'approver']);
    expect(localPeople(false)).toEqual([{ user: 'operator', groups: ['slipway:operators'] }]);
  });
});

describe('failed sign-ins', () => {
  const rig = (most: number) => {
    const clock = new ManualClock();
    return { clock, limit: createSignInLimit(clock, most) };
  };

  it('[issue 10.4] count for a minute from the first of them, by source and by token', async () => {
    const { clock, limit } = rig(2);
    limit.begin('a', 'one.1.s')('no');
    await clock.advance(30_000);
    limit.begin('a', 'two.2.s')('no');
    expect(() => limit.begin('a', 'three.3.s')).toThrow(
      '2 sign-ins from a failed within a minute, which is the limit (--max-sign-ins); try again in 30 s',
    );
    limit.begin('b', 'one.1.other')('no');
    expect(() => limit.begin('c', 'one.1.third')).toThrow('with this token');
    expect(limit.begin('c', 'one.2.third')).toBeTypeOf('function');
    await clock.advance(29_999);
    expect(() => limit.begin('a', 'three.3.s')).toThrow(
      expect.objectContaining({
        code: 'too-many',
        message: expect.stringContaining('try again in 1 s'),
        details: { retryAfterSeconds: 1 },
      }),
    );
    await clock.advance(1);
    expect(limit.begin('a', 'three.3.s')).toBeTypeOf('function');
  });

  it('[issue 10.4] of tokens that are no JWT count by their first sixteen signs', () => {
    const { limit } = rig(1);
    limit.begin('a', `${'k'.repeat(16)}one`)('no');
    expect(() => limit.begin('b', `${'k'.repeat(16)}two`)).toThrow('with this token');
    expect(limit.begin('b', `${'k'.repeat(15)}xtwo`)).toBeTypeOf('function');
    limit.begin('d', `.${'z'.repeat(20)}`)('no');
    expect(limit.begin('e', `.${'y'.repeat(20)}`)).toBeTypeOf('function');
  });

  it('[issue 10.4] of many at once are no more than the limit: the others wait for those under way, and are refused once it is reached', async () => {
    const { limit } = rig(3);
    let began = 0;
    const guess = (at: number, isRight = false) =>
      limit
        .attempt({ source: 'a', token: `k${at}.x.y` }, async (fail) => {
          began++;
          await Promise.resolve();
          if (isRight) return 'in';
          throw fail('no');
        })
        .catch((error: unknown) => (isAppError(error) ? error.code : 'other'));
    expect(await Promise.all(Array.from({ length: 10 }, (_, at) => guess(at, true)))).toEqual(Array.from({ length: 10 }, () => 'in'));
    began = 0;
    const answers = await Promise.all(Array.from({ length: 250 }, (_, at) => guess(at)));
    expect(began).toBe(3);
    expect(answers.filter((answer) => answer === 'unauthenticated')).toHaveLength(3);
    expect(answers.filter((answer) => answer === 'too-many')).toHaveLength(247);
  });

  it('[issue 10.4] may be as many at once as have not failed, and one that ends makes room for one', async () => {
    const { limit } = rig(3);
    const begun: number[] = [];
    const ends: (() => void)[] = [];
    const attempt = (at: number) =>
      limit.attempt({ source: 'a', token: `k${at}.x.y` }, () => {
        begun.push(at);
        return new Promise<string>((done) => ends.push(() => done('in')));
      });
    const settle = () => new Promise((resolve) => setImmediate(resolve));
    limit.begin('a', 'wrong.x.y')('no');
    const all = [1, 2, 3, 4].map(attempt);
    await settle();
    expect(begun).toEqual([1, 2]); // two of three are left, and both begin at once
    ends[0]?.();
    await settle();
    expect(begun).toEqual([1, 2, 3]);
    ends[1]?.();
    await settle();
    expect(begun).toEqual([1, 2, 3, 4]);
    for (const end of ends) end();
    expect(await Promise.all(all)).toEqual(['in', 'in', 'in', 'in']);
  });

  it('[issue 10.4] keep two hundred waiting over all sources, refuse the next for a second, and take it once one of them had its turn', async () => {
    const { limit } = rig(1);
    const ends: (() => void)[] = [];
    const attempt = (source: string) => {
      const work = () => new Promise<string>((done) => ends.push(() => done('in')));
      return limit.attempt({ source, token: `${source}.x.y` }, work).catch((error: unknown) => error);
    };
    const first = attempt('a');
    const waiting = Array.from({ length: 200 }, () => attempt('a'));
    const full = {
      code: 'too-many',
      message: expect.stringContaining('too many people are signing in'),
      details: { retryAfterSeconds: 1 },
    };
    expect(await attempt('a')).toMatchObject(full);
    const elsewhere = attempt('b'); // who need not wait is let in
    await Promise.resolve();
    for (const end of ends.splice(1)) end();
    expect(await elsewhere).toBe('in');
    for (let turn = 0; turn < 201; turn++) {
      for (const end of ends.splice(0)) end();
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await Promise.all([first, ...waiting])).toEqual(Array.from({ length: 201 }, () => 'in'));
    const again = attempt('a');
    for (const end of ends.splice(0)) end();
    expect(await again).toBe('in');
  });

  it('[issue 10.4] of no more than 20,000 are remembered: those that came last', () => {
    const { limit } = rig(1);
    for (let at = 0; at < 10_001; at++) limit.begin(`source-${at}`, `token.${at}.sig`)('no');
    for (const [source, token] of [['source-0', 'other'] as const, ['another', 'token.0.other'] as const])
      expect(limit.begin(source, token)).toBeTypeOf('function');
    for (const at of [1, 10_000]) expect(() => limit.begin(`source-${at}`, 'other')).toThrow(`from source-${at}`);
  });
});

describe('a session of a cluster token', () => {
  it('[design 8] ends with its token, where that says when, and after twelve hours otherwise', async () => {
    const people = { username: 'ada', groups: [] };
    const start = new ManualClock().now();
    const short = jwt({ exp: (start + HOUR) / 1000 });
    const long = jwt({ exp: (start + 24 * HOUR) / 1000 });
    const { auth } = createAuthRig({ tokens: { [short]: people, [long]: people, opaque: people, 'a.b.c': people } }, { mode: 'token' });
    const lasts = async (token: string) => Number(/Max-Age=(\d+)/.exec((await auth.signIn(token)).setCookie)?.[1]);
    expect([await lasts(short), await lasts(long), await lasts('opaque'), await lasts('a.b.c')]).toEqual([3600, 43_200, 43_200, 43_200]);
  });

  it('[issue 10, 1] has the groups that the cluster says within a minute, and ends where the token is somebody else’s', async () => {
    const tokens: Record<string, { username: string; groups: string[]; uid?: string }> = {
      tok: { username: 'ada', groups: ['team', 'admins'], uid: 'u1' },
    };
    const { auth, clock } = createAuthRig({ tokens }, { mode: 'token' });
    const cookie = cookieOf((await auth.signIn('tok')).setCookie);
    expect(await auth.readSession(cookie)).toMatchObject({ groups: ['team', 'admins'], person: { uid: 'u1' } });
    tokens.tok = { username: 'ada', groups: ['team'], uid: 'u1' };
    await clock.advance(59_999);
    expect((await auth.readSession(cookie))?.groups).toEqual(['team', 'admins']);
    await clock.advance(1);
    expect(await auth.readSession(cookie)).toMatchObject({ groups: ['team'], person: { groups: ['team'], token: 'tok' } });
    tokens.tok = { username: 'ada', groups: ['team'], uid: 'u2' };
    await clock.advance(60_000);
    expect((await auth.readSession(cookie))?.person.uid).toBe('u2');
    tokens.tok = { username: 'eve', groups: ['team'], uid: 'u2' };
    await clock.advance(60_000);
    expect(await auth.readSession(cookie)).toBeUndefined();
  });

  it('[design 8] goes on where the cluster cannot be asked, and is asked about again a minute later', async () => {
    const tokens: Record<string, { username: string; groups: string[] }> = { tok: { username: 'ada', groups: [] } };
    const { auth, clock, cluster } = createAuthRig({ tokens }, { mode: 'token' });
    const cookie = cookieOf((await auth.signIn('tok')).setCookie);
    const create = cluster.create.bind(cluster);
    cluster.create = async () => Promise.reject(new Error('no route to host'));
    await clock.advance(60_000);
    expect(await auth.readSession(cookie)).toMatchObject({ user: 'ada' });
    await expect(auth.signIn('tok')).rejects.toMatchObject({
      code: 'unavailable',
      message: 'the cluster could not be asked about the token: no route to host',
    });
    cluster.create = create;
    delete tokens.tok;
    await clock.advance(59_999);
    expect(await auth.readSession(cookie)).toMatchObject({ user: 'ada' });
    await clock.advance(1);
    expect(await auth.readSession(cookie)).toBeUndefined();
  });
});

describe('sessions of one person', () => {
  const sessionsOf = (maxSessions: number) => {
    const tokens = { ada: { username: 'ada', groups: [] }, bob: { username: 'bob', groups: [] } };
    const rig = createAuthRig({ tokens }, { mode: 'token', maxSessions });
    const signIn = async (user: 'ada' | 'bob', isCommand = false) =>
      cookieOf((await rig.auth.signIn(user, undefined, { isCommand })).setCookie);
    return { ...rig, signIn, isOpen: async (cookie: string) => (await rig.auth.readSession(cookie)) !== undefined };
  };

  it('[issue 10.4] are as many as the setting says: one more ends the oldest, and nobody else’s', async () => {
    const { signIn, isOpen, rows } = sessionsOf(2);
    const bob = await signIn('bob');
    const [first, second] = [await signIn('ada'), await signIn('ada')];
    expect([await isOpen(first), await isOpen(second)]).toEqual([true, true]);
    const third = await signIn('ada');
    await until('the store has forgotten the first', () => rows.size === 3);
    expect([await isOpen(first), await isOpen(second), await isOpen(third), await isOpen(bob)]).toEqual([false, true, true, true]);
  });

  it('[issue 10.4] count as those of a browser where nothing else is said', async () => {
    const { auth, isOpen } = sessionsOf(1);
    const [first, second] = [cookieOf((await auth.signIn('ada')).setCookie), cookieOf((await auth.signIn('ada')).setCookie)];
    expect([await isOpen(first), await isOpen(second)]).toEqual([false, true]);
  });

  it('[issue 10.4] in a browser are not ended by commands, of which there are 300', async () => {
    const { signIn, isOpen } = sessionsOf(1);
    const browser = await signIn('ada');
    const commands: string[] = [];
    for (let at = 0; at < 301; at++) commands.push(await signIn('ada', true));
    expect(await isOpen(browser)).toBe(true);
    expect(await isOpen(commands[1] ?? '')).toBe(true);
    expect(await isOpen(commands[0] ?? '')).toBe(false);
  });
});
