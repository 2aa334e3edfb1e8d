import { describe, expect, it, vi } from 'vitest';
import type { CommandRules } from './rig';
import { createCommandRig } from './rig';

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0';
const TOKENS = { 'of-ada': { username: 'ada', groups: [] }, 'of-bob': { username: 'bob', groups: [] } };

/** Ada on two browsers and a command, Bob on one; ada asks. */
async function rigOf(rules: CommandRules = {}) {
  const rig = await createCommandRig({ tokens: TOKENS, token: 'of-ada', ...rules });
  const add = (token: string, isCommand = false) => rig.auth.signIn(token, undefined, { source: '10.0.0.7', agent: FIREFOX, isCommand });
  const [second, command, bob] = [await add('of-ada'), await add('of-ada', true), await add('of-bob')];
  await vi.waitFor(() => expect(rig.rows.size).toBe(4));
  const read = (of: 'mine' | 'everyone' = 'mine') => rig.commands.readSessions(rig.session, { of, page: 0, size: 50 });
  const handleOf = (id: string) => rig.rows.get(id)?.handle ?? '';
  return Object.assign(rig, { second, command, bob, read, handleOf });
}

const NO_SESSIONS: CommandRules = { may: ({ resource }) => resource !== 'sessions' };

describe('sessions of a person', () => {
  it('[issue 14.3] are told with browser and address in plain words, the one that asks marked, and with nothing that opens them', async () => {
    const { read, session } = await rigOf();
    const { total, rows, refused } = await read();
    expect(total).toBe(3);
    expect(rows.map(({ user, client, address, isThis }) => [user, client, address, isThis])).toEqual([
      ['ada', 'Unknown browser', null, true],
      ['ada', 'Firefox 144 on Linux', '10.0.0.7', false],
      ['ada', 'slipway command', '10.0.0.7', false],
    ]);
    expect(refused).toEqual({ see: null, end: null });
    const told = JSON.stringify(rows);
    for (const secret of [session.id, 'of-ada', FIREFOX]) expect(told).not.toContain(secret);
  });

  it('[issue 14.3] are shown and ended without any right, and nobody else’s are', async () => {
    const { read, commands, session, second, bob, handleOf, auth } = await rigOf(NO_SESSIONS);
    expect((await read()).refused).toEqual({
      see: expect.stringContaining('"list" on sessions'),
      end: expect.stringContaining('"delete" on sessions'),
    });
    await expect(read('everyone')).rejects.toMatchObject({
      code: 'forbidden',
      details: { grant: ['kubectl create clusterrolebinding slipway-administrator-ada --clusterrole=slipway:administrator --user=ada'] },
    });
    expect(await commands.endSession(session, handleOf(second.session.id))).toEqual({ ended: 1 });
    // Whether there is such a session is told to nobody without the right to end it.
    for (const id of [handleOf(bob.session.id), 'none'])
      await expect(commands.endSession(session, id)).rejects.toMatchObject({ code: 'forbidden' });
    await expect(commands.endSessions(session, 'bob')).rejects.toMatchObject({ code: 'forbidden' });
    expect((await auth.book.ofUser('bob')).length).toBe(1);
  });

  it('[issue 14.3] but the one that asks end at once, and whoever listens hears who ended them', async () => {
    const { commands, session, second, command, auth, read, recorded } = await rigOf();
    const told: string[] = [];
    for (const each of [second, command]) auth.onEnd(each.session, (reason) => told.push(reason));
    expect(await commands.endSessions(session)).toEqual({ ended: 2 });
    expect(told).toEqual(['You ended this session: sign in again.', 'You ended this session: sign in again.']);
    expect((await read()).rows.map(({ isThis }) => isThis)).toEqual([true]);
    expect(await commands.endSessions(session)).toEqual({ ended: 0 });
    expect(recorded).toHaveLength(1);
  });

  it('[issue 14.3] all but one end without any right', async () => {
    const { commands, session } = await rigOf(NO_SESSIONS);
    expect(await commands.endSessions(session)).toEqual({ ended: 2 });
  });
});

describe('whoever administers', () => {
  it('[issue 14.3] sees the sessions of everyone, and ends one or all of one user', async () => {
    const { commands, session, bob, auth, read, handleOf } = await rigOf();
    const told: string[] = [];
    auth.onEnd(bob.session, (reason) => told.push(reason));
    expect((await read('everyone')).rows.map(({ user }) => user)).toEqual(['ada', 'ada', 'ada', 'bob']);
    const found = await commands.readSessions(session, { of: 'everyone', q: 'bob', page: 0, size: 50 });
    expect(found.rows.map(({ user }) => user)).toEqual(['bob']);
    expect((await commands.readSessions(session, { of: 'everyone', q: '', page: 0, size: 50 })).total).toBe(4);
    expect(await commands.endSession(session, handleOf(bob.session.id))).toEqual({ ended: 1 });
    expect(told).toEqual(['ada ended this session: sign in again.']);
    await expect(commands.endSession(session, handleOf(bob.session.id))).rejects.toMatchObject({ code: 'not-found' });
    expect((await read('everyone')).total).toBe(3);
  });
});

describe('the end of sessions', () => {
  it('[issue 14.3] is on record with who, whose and which browser, and with neither address nor anything that opens a session', async () => {
    const { commands, session, second, bob, recorded, handleOf } = await rigOf();
    await commands.endSession(session, handleOf(bob.session.id));
    await commands.endSessions(session);
    expect(recorded).toMatchObject([
      {
        actor: 'ada',
        action: 'session.end',
        about: { kind: 'Session', name: 'bob' },
        message: expect.stringMatching(/^ended 1 session of bob \(Firefox 144 on Linux, since \S+Z\)$/),
      },
      { actor: 'ada', action: 'session.end', about: { kind: 'Session', name: 'ada' }, message: 'ended 2 sessions of ada' },
    ]);
    const told = JSON.stringify(recorded);
    for (const secret of [session.id, second.session.id, bob.session.id, '10.0.0.7', 'of-ada']) expect(told).not.toContain(secret);
  });

  it('[issue 14.3] is refused while it cannot be recorded, and told as failed where the store does not take it', async () => {
    const rig = await rigOf();
    const id = rig.handleOf(rig.bob.session.id);
    rig.unrecorded = new Error('no record');
    await expect(rig.commands.endSession(rig.session, id)).rejects.toThrow('no record');
    expect(await rig.auth.book.find(id)).toBeDefined();
    rig.unrecorded = null;
    const { sessions } = await rig.deps.store();
    vi.spyOn(sessions, 'end').mockRejectedValueOnce(new Error('disk full'));
    await expect(rig.commands.endSession(rig.session, id)).rejects.toThrow('disk full');
    expect(rig.recorded.map(({ action }) => action)).toEqual(['session.end', 'session.end.failed']);
  });
});
