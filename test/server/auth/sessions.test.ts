import { describe, expect, it, vi } from 'vitest';
import { createAuth } from '@/server/auth';
import { createAccessReviews } from '@/server/auth/access-review';
import { toSessionView } from '@/server/auth/session';
import { createSessionKeeper } from '@/server/auth/session-keeper';
import { reviewToken } from '@/server/auth/token-review';
import type { Cluster } from '@/server/kube';
import type { Store } from '@/server/store';
import { cookieOf, createAuthRig, createFakeStore } from './rig';

const ROBOT = { username: 'robot', groups: ['bots'], uid: 'u1' };

/** Somebody signed in with a token of the cluster, whose session is in the store; and the server after its restart. */
async function restart() {
  const tokens: Record<string, typeof ROBOT> = { tok: ROBOT };
  const rig = createAuthRig({ tokens }, { mode: 'token' });
  const cookie = cookieOf((await rig.auth.signIn('tok')).setCookie);
  await vi.waitFor(() => expect(rig.rows.size).toBe(1));
  return { ...rig, tokens, cookie, restarted: createAuth(rig.deps) };
}

describe('a session from the store', () => {
  it('[design 8] is the same person, by the same uid, groups and end', async () => {
    const { auth, cookie, restarted } = await restart();
    const session = await restarted.readSession(cookie);
    expect(session).toEqual(await auth.readSession(cookie));
    expect(session?.person).toEqual({ user: 'robot', groups: ['bots'], uid: 'u1', token: 'tok' });
  });

  it('[design 8] whose token was revoked meanwhile is over at once', async () => {
    const { cookie, restarted, tokens } = await restart();
    delete tokens.tok;
    expect(await restarted.readSession(cookie)).toBeUndefined();
  });

  it('[design 8] whose credential cannot be opened is none: it would act as the server does', async () => {
    const { cookie, restarted, rows } = await restart();
    for (const [hash, row] of rows) rows.set(hash, { ...row, sealedToken: 'bm90IGl0' });
    expect(await restarted.readSession(cookie)).toBeUndefined();
  });

  it('[design 8] of a printed token is read once in a minute', async () => {
    const { signIn, deps, clock } = createAuthRig();
    const { cookie } = await signIn();
    const { sessions } = await deps.store();
    const [read, touch] = [vi.spyOn(sessions, 'read'), vi.spyOn(sessions, 'touch')];
    const restarted = createAuth(deps);
    for (const _ of [1, 2, 3]) expect(await restarted.readSession(cookie)).toMatchObject({ user: 'operator' });
    expect(read).toHaveBeenCalledTimes(1);
    await clock.advance(60_000);
    for (const _ of [1, 2]) await restarted.readSession(cookie);
    expect([read.mock.calls.length, touch.mock.calls.length]).toEqual([1, 1]);
  });
});

describe('the end of a session', () => {
  it('[design 8] is told to nobody who does not listen any more', async () => {
    const { auth, signIn } = createAuthRig();
    const { session } = await signIn();
    const told: string[] = [];
    const release = auth.onEnd(session, () => told.push('left'));
    auth.onEnd(session, (reason) => told.push(reason));
    release();
    await auth.signOut(session);
    expect(told).toEqual(['You signed out.']);
    auth.onEnd(session, (reason) => told.push(reason))();
    expect(told).toEqual(['You signed out.', 'The session has expired: sign in again.']);
  });

  it('[design 8] holds at once, for who comes back while the store still has it too', async () => {
    const { auth, signIn, deps } = createAuthRig();
    const { session, cookie } = await signIn();
    const { sessions } = await deps.store();
    let letGo = () => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const { end } = sessions;
    vi.spyOn(sessions, 'end').mockImplementation(async (ids) => held.then(() => end(ids)));
    const back: Promise<unknown>[] = [];
    auth.onEnd(session, () => back.push(auth.readSession(cookie)));
    const over = auth.signOut(session);
    expect(await Promise.all([...back, auth.readSession(cookie)])).toEqual([undefined, undefined]);
    letGo();
    await over;
    expect(await auth.readSession(cookie)).toBeUndefined();
  });

  it('[design 8] is forgotten where the store could not forget the session, which is told', async () => {
    const { auth, signIn, deps } = createAuthRig();
    const { session, cookie } = await signIn();
    const { sessions } = await deps.store();
    vi.spyOn(sessions, 'end').mockRejectedValueOnce(new Error('disk full'));
    await expect(auth.signOut(session)).rejects.toThrow('disk full');
    expect(await auth.readSession(cookie)).toMatchObject({ user: 'operator' });
    await auth.signOut(session);
    expect(await auth.readSession(cookie)).toBeUndefined();
  });

  it('[design 8] is not that the store could not take it', async () => {
    const { store } = createFakeStore();
    const full: Store = { ...store, sessions: { ...store.sessions, add: () => Promise.reject(new Error('disk full')) } };
    const { auth, signIn, clock } = createAuthRig({}, { store: async () => full });
    const { session, cookie } = await signIn();
    await clock.advance(60_000);
    expect(await auth.readSession(cookie)).toEqual(session);
    await auth.signOut(session);
    expect(await auth.readSession(cookie)).toBeUndefined();
  });

  it('[design 8] leaves the store as it is where it was removed there already', async () => {
    const { auth, signIn, rows } = createAuthRig();
    const { session, cookie } = await signIn();
    rows.clear();
    expect(await auth.readSession(cookie)).toEqual(session);
    await auth.signOut(session);
    expect(await auth.readSession(cookie)).toBeUndefined();
  });
});

describe('sessions of everybody', () => {
  it('[issue 10.4] are 10,000 at most: one more ends the oldest', async () => {
    const { deps, clock } = createAuthRig();
    vi.spyOn(clock, 'schedule').mockReturnValue(() => undefined);
    const { store } = createFakeStore();
    const sessions: Store['sessions'] = { ...store.sessions, read: async () => undefined, beyondNewest: async () => [] };
    const keeper = createSessionKeeper({
      ...deps,
      store: async () => ({ ...store, sessions }),
      splitGroups: () => Promise.reject(new Error('not asked')),
    });
    const begin = (user: string) => keeper.begin({ user, groups: [], mayInvite: false }, 'local', { isCommand: false });
    const [first, second] = [begin('ada'), begin('bob')];
    for (let at = 2; at < 10_000; at++) begin(`user-${at}`);
    expect(await keeper.find(first.secret)).toEqual(first.session);
    begin('eve');
    expect(await keeper.find(first.secret)).toBeUndefined();
    expect(await keeper.find(second.secret)).toEqual(second.session);
  });

  it('[issue 10.4] are ten of one person over all replicas and restarts: the oldest go, those of commands aside', async () => {
    const { deps, rows } = createAuthRig();
    const keeper = () => createSessionKeeper({ ...deps, splitGroups: () => Promise.reject(new Error('not asked')) });
    const ada = { user: 'ada', groups: [], mayInvite: false };
    const [former, later] = [keeper(), keeper()];
    const command = former.begin(ada, 'local', { isCommand: true });
    const [first, second] = [former.begin(ada, 'local', { isCommand: false }), former.begin(ada, 'local', { isCommand: false })];
    const other = former.begin({ ...ada, user: 'bob' }, 'local', { isCommand: false });
    await vi.waitFor(() => expect(rows.size).toBe(4));
    for (let at = 0; at < 9; at++) later.begin(ada, 'local', { isCommand: false });
    await vi.waitFor(() => expect(rows.has(first.session.id)).toBe(false));
    expect([...rows.values()].filter(({ user, isCommand }) => user === 'ada' && !isCommand)).toHaveLength(10);
    for (const { session } of [second, command, other]) expect(rows.has(session.id)).toBe(true);
  });

  it('[design 8] say on the screen who is there, without the groups of the system and without what there is not', async () => {
    const { auth } = createAuthRig({ tokens: { tok: { username: 'ada', groups: ['team', 'system:authenticated'] } } }, { mode: 'token' });
    const { session } = await auth.signIn('tok');
    expect(session.person).toStrictEqual({ user: 'ada', groups: ['team'], token: 'tok' });
    expect(toSessionView(session)).toStrictEqual({
      user: 'ada',
      groups: ['team'],
      mode: 'token',
      mayInvite: false,
      expiresAt: new Date(session.expiresAt).toISOString(),
    });
    expect(toSessionView({ ...session, leftOut: ['owners', 'system:masters'] }).leftOut).toEqual(['owners', 'system:masters']);
  });
});

describe('a token', () => {
  /** An API server that says this of any token. */
  const saying = (status: object) => ({ create: async (object: object) => ({ ...object, status }) }) as unknown as Cluster; // a review asks no more of it
  const user = { username: 'ada', groups: ['team', 7, null], uid: '' };
  const jwtOf = (claims: object) => `head.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.sig`;

  it.each([
    ['does not say so', { user }],
    ['says that it is none, with a user', { authenticated: false, user }],
    ['names nobody', { authenticated: true, user: { groups: ['team'] } }],
    ['says nothing', {}],
  ])('[design 8] is nobody’s where the cluster %s', async (_what, status) => {
    expect(await reviewToken(saying(status), 'tok')).toBeUndefined();
  });

  it('[design 8] is somebody’s with the groups that are names, and for as long as it says of itself', async () => {
    const known = { user: 'ada', groups: ['team'], mayInvite: false };
    const cluster = saying({ authenticated: true, user });
    for (const token of ['tok', jwtOf({}), 'a.%.b']) expect(await reviewToken(cluster, token)).toStrictEqual({ ...known, token });
    const ending = jwtOf({ exp: 1_800_000_000 });
    expect(await reviewToken(cluster, ending)).toStrictEqual({ ...known, token: ending, endsAt: 1_800_000_000_000 });
  });
});

it('[design 8] namespaces that cannot be listed are no narrower right: the cause is told', async () => {
  const { cluster, clock } = createAuthRig();
  const silent: Cluster = {
    ...cluster,
    list: () => {
      throw new Error('no route');
    },
  };
  const { session } = await createAuthRig().signIn();
  const asked = createAccessReviews(silent, clock).namespacesWith(session, { verb: 'list', group: '', resource: 'pods' });
  await expect(asked).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('could not be listed'),
    cause: expect.anything(),
  });
});
