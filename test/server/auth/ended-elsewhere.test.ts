import { describe, expect, it, vi } from 'vitest';
import { createAuth } from '@/server/auth';
import { silentLog } from '../../support/silent-log';
import { cookieOf, createAuthRig } from './rig';

/** Somebody who is signed in on one replica and comes to another one as well, which share a store. */
async function twoReplicas() {
  const rig = createAuthRig();
  const { session, cookie } = await rig.signIn();
  await vi.waitFor(() => expect(rig.rows.size).toBe(1));
  const other = createAuth(rig.deps);
  const there = await other.readSession(cookie);
  if (there === undefined) throw new Error('the other replica does not know the session');
  return { ...rig, session, cookie, other, there };
}

describe('a session that is ended on one replica', () => {
  it('[issue 14.3] ends on the other within five seconds, used there or not, and is refused there', async () => {
    const { auth, session, cookie, other, there, clock } = await twoReplicas();
    const told: string[] = [];
    other.onEnd(there, (reason) => told.push(reason));
    await clock.advance(10_000);
    expect(told).toEqual([]);
    const [row] = await auth.book.ofUser('operator');
    if (row === undefined) throw new Error('it is in no book');
    await auth.book.end([row], 'ended');
    expect(await auth.readSession(cookie)).toBeUndefined();
    await clock.advance(5000);
    expect(told).toEqual(['The session was ended elsewhere: sign in again.']);
    expect(await other.readSession(cookie)).toBeUndefined();
    expect(session.id).toBe(there.id);
  });

  it('[issue 14.3] is heard of again once the store answers again', async () => {
    const { auth, other, there, clock, deps } = await twoReplicas();
    const { sessions } = await deps.store();
    const asked = vi.spyOn(sessions, 'endedSince').mockRejectedValue(new Error('connection refused'));
    const told: string[] = [];
    other.onEnd(there, (reason) => told.push(reason));
    await clock.advance(6000);
    expect(asked.mock.calls.length).toBeGreaterThanOrEqual(3);
    await auth.book.end(await auth.book.ofUser('operator'), 'ended');
    asked.mockRestore();
    await clock.advance(2000);
    expect(told).toHaveLength(1);
  });

  it('[issue 10.1] is asked about since five minutes ago, for clocks that differ, once each two seconds however many are signed in', async () => {
    const { auth, clock, deps, signIn } = createAuthRig();
    const { sessions } = await deps.store();
    const asked = vi.spyOn(sessions, 'endedSince');
    await signIn();
    await auth.signIn(auth.commandToken ?? '', undefined, { isCommand: true });
    await clock.advance(2000);
    expect(asked.mock.calls).toEqual([[clock.now() - 300_000]]);
  });

  it('[issue 10.1] is told in the log once while the store does not answer, and once more when that happens again', async () => {
    const told: object[] = [];
    const log = { ...silentLog, warn: (data: object) => void told.push(data) };
    const rig = createAuthRig({}, { log });
    await rig.signIn();
    const { sessions } = await rig.deps.store();
    const asked = vi.spyOn(sessions, 'endedSince').mockRejectedValue(new Error('connection refused'));
    await rig.clock.advance(6000);
    expect(told).toEqual([{ error: 'connection refused' }]);
    asked.mockResolvedValue([]);
    await rig.clock.advance(2000);
    asked.mockRejectedValue(new Error('gone again'));
    await rig.clock.advance(6000);
    expect(told).toEqual([{ error: 'connection refused' }, { error: 'gone again' }]);
  });

  it('[issue 10.1] is told from the book, one by its handle and all by their user, or that the store is not open', async () => {
    const { auth, rows } = await twoReplicas();
    const [row] = [...rows.values()];
    expect((await auth.book.find(row?.handle ?? ''))?.user).toBe('operator');
    expect(await auth.book.find('another')).toBeUndefined();
    expect(await auth.book.list({ page: 0, size: 10 })).toEqual({ total: 1, rows: [row] });
    expect(await auth.book.list({ user: 'another', page: 0, size: 10 })).toEqual({ total: 0, rows: [] });
    const failure = new Error('no disk');
    const closed = createAuthRig({}, { store: () => Promise.reject(failure) });
    await expect(closed.auth.book.ofUser('operator')).rejects.toMatchObject({
      code: 'unavailable',
      message: 'sessions cannot be read: the store is not open: no disk',
      cause: failure,
    });
  });

  it('[issue 14.3] is asked about only while somebody is signed in', async () => {
    const { auth, signIn, deps, clock } = createAuthRig();
    const { sessions } = await deps.store();
    const asked = vi.spyOn(sessions, 'endedSince');
    await clock.advance(20_000);
    expect(asked).not.toHaveBeenCalled();
    const { session } = await signIn();
    await clock.advance(4000);
    expect(asked).toHaveBeenCalledTimes(2);
    await auth.signOut(session);
    await clock.advance(4000);
    const before = asked.mock.calls.length;
    await clock.advance(20_000);
    expect(asked).toHaveBeenCalledTimes(before);
    await auth.signIn(auth.commandToken ?? '', undefined, { isCommand: true });
    await clock.advance(2000);
    expect(asked).toHaveBeenCalledTimes(before + 1);
  });
});

describe('where a session began', () => {
  it('[issue 14.3] is kept cut, and without signs that nobody sees', async () => {
    const { auth, rows } = createAuthRig();
    const { setCookie } = await auth.signIn(auth.firstToken ?? '', undefined, {
      source: `10.0.0.7\u202e${'9'.repeat(100)}`,
      agent: `Firefox\u0000${'x'.repeat(500)}`,
    });
    await vi.waitFor(() => expect(rows.size).toBe(1));
    const [row] = [...rows.values()];
    expect(row?.address).toBe(`10.0.0.7${'9'.repeat(56)}`);
    expect(row?.agent).toBe(`Firefox${'x'.repeat(249)}`);
    expect(row?.handle).toMatch(/^[0-9a-f-]{36}$/);
    expect(JSON.stringify(row)).not.toContain(cookieOf(setCookie).split('=')[1]);
  });

  it('[issue 14.3] is not known where nothing told of it', async () => {
    const { rows, signIn } = createAuthRig();
    await signIn();
    await vi.waitFor(() => expect(rows.size).toBe(1));
    expect([...rows.values()]).toMatchObject([{ address: null, agent: null, isCommand: false, endedAt: null }]);
  });
});
