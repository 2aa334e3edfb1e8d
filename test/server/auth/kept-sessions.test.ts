import { describe, expect, it } from 'vitest';
import type { Identity } from '@/server/auth/session';
import type { SessionKeeper, SessionKeeperDeps } from '@/server/auth/session-keeper';
import { createSessionKeeper } from '@/server/auth/session-keeper';
import { systemIds } from '@/server/platform';
import { ManualClock } from '@/test/support/manual-clock';
import { silentLog } from '../../support/silent-log';
import { createFakeStore } from './rig';

const ORIGIN = { isCommand: false, address: '10.0.0.1', agent: 'browser' };
const MINUTE = 60_000;
const ELSEWHERE = 'The session was ended elsewhere: sign in again.';

/** Keepers over one store, and a cluster that says who a token is. */
class Rig {
  readonly clock = new ManualClock();
  readonly kept = createFakeStore();
  readonly warned: unknown[] = [];
  /** Who the cluster says a token is. */
  user: object | undefined = { username: 'ann', groups: ['ops'], uid: 'u-1' };
  /** Why the cluster says nothing about tokens. */
  silence: Error | undefined;
  /** Which groups of a provider count. */
  counting: readonly string[] | 'nobody can tell' = ['ops'];
  asked = 0;
  isStoreOpen = true;
  readonly #deps: SessionKeeperDeps = {
    clock: this.clock,
    ids: systemIds,
    log: { ...silentLog, warn: (...line: readonly unknown[]) => void this.warned.push(line) },
    maxSessions: 2,
    store: async () => {
      if (!this.isStoreOpen) throw new Error('no disk');
      return this.kept.store;
    },
    splitGroups: async (all) => {
      const { counting } = this;
      if (typeof counting === 'string') throw new Error('no cluster');
      return { groups: all.filter((group) => counting.includes(group)), leftOut: all.filter((group) => !counting.includes(group)) };
    },
    cluster: {
      create: async (object: object) => {
        this.asked++;
        if (this.silence !== undefined) throw this.silence;
        return { ...object, status: this.user === undefined ? { authenticated: false } : { authenticated: true, user: this.user } };
      },
    } as never,
  };
  readonly keeper = this.replica();

  /** Another process on the same store. */
  replica(): SessionKeeper {
    return createSessionKeeper(this.#deps);
  }

  begin(identity: Partial<Identity> = {}, mode: 'token' | 'local' | 'oidc' = 'token', isCommand = false) {
    return this.keeper.begin({ user: 'ann', groups: ['ops'], mayInvite: false, ...identity }, mode, { ...ORIGIN, isCommand });
  }
}
const TOKEN = { token: 'a-token', uid: 'u-1' };
const settle = async () => {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
};

describe('[issue 10, 1] the session of a token', () => {
  it('is looked up each minute that it is used, and not before', async () => {
    const rig = new Rig();
    const { secret, session } = rig.begin(TOKEN);
    await rig.clock.advance(MINUTE - 1);
    expect([await rig.keeper.find(secret), rig.asked]).toEqual([session, 0]);
    await rig.clock.advance(1);
    expect([await rig.keeper.find(secret), rig.asked]).toEqual([session, 1]);
    await rig.keeper.find(secret);
    expect(rig.asked).toBe(1);
  });

  it.each<[string, object | undefined]>([
    ['the cluster knows it no more', undefined],
    ['it is somebody else’s by now', { username: 'eve', groups: ['ops'], uid: 'u-1' }],
  ])('ends where %s', async (_when, user) => {
    const rig = new Rig();
    const { secret, session } = rig.begin(TOKEN);
    const told: string[] = [];
    rig.keeper.onEnd(session, (reason) => void told.push(reason));
    rig.user = user;
    await rig.clock.advance(MINUTE);
    expect([await rig.keeper.find(secret), told]).toEqual([undefined, [ELSEWHERE]]);
    expect(await rig.keeper.find(secret)).toBeUndefined();
  });

  it.each<[string, object, object]>([
    [
      'groups',
      { username: 'ann', groups: ['devs', 'system:authenticated'], uid: 'u-1' },
      { groups: ['devs', 'system:authenticated'], person: { user: 'ann', groups: ['devs'], uid: 'u-1', token: 'a-token' } },
    ],
    [
      'uid',
      { username: 'ann', groups: ['ops'], uid: 'u-2' },
      { groups: ['ops'], person: { user: 'ann', groups: ['ops'], uid: 'u-2', token: 'a-token' } },
    ],
  ])('acts with other %s where the cluster says so', async (_what, user, expected) => {
    const rig = new Rig();
    const { secret, session } = rig.begin(TOKEN);
    rig.user = user;
    await rig.clock.advance(MINUTE);
    expect(await rig.keeper.find(secret)).toEqual({ ...session, ...expected });
  });

  it('stays the very session where the cluster says nothing else, and goes on where it says nothing at all', async () => {
    const rig = new Rig();
    const { secret, session } = rig.begin(TOKEN);
    await rig.clock.advance(MINUTE);
    expect(await rig.keeper.find(secret)).toBe(session);
    rig.isStoreOpen = false;
    await rig.clock.advance(MINUTE);
    expect(await rig.keeper.find(secret)).toBe(session);
    expect(rig.warned).toContainEqual([{ error: expect.stringContaining('no disk') }, 'a session could not be checked']);
  });

  it('is nobody’s after a restart as long as the cluster does not say whether its token still counts, and is asked about each time', async () => {
    const rig = new Rig();
    const { secret, session } = rig.begin(TOKEN);
    await settle();
    const restarted = rig.replica();
    rig.silence = new Error('no webhook');
    for (const asked of [1, 2]) {
      await expect(restarted.find(secret)).rejects.toMatchObject({ code: 'unavailable' });
      expect(rig.asked).toBe(asked);
    }
    expect(await rig.keeper.find(secret), 'who is known here goes on').toBe(session);
    rig.silence = undefined;
    expect(await restarted.find(secret)).toEqual(session);
    const revoked = rig.replica();
    rig.user = undefined;
    expect(await revoked.find(secret)).toBeUndefined();
  });

  it('is looked up at once by another replica, which knows it by its cookie alone, with its uid and its credential', async () => {
    const rig = new Rig();
    const { secret, session } = rig.begin(TOKEN);
    await settle();
    const other = rig.replica();
    expect([await other.find(secret), rig.asked]).toEqual([session, 1]);
    expect(await other.find('another-secret')).toBeUndefined();
    const [hash = ''] = [...rig.kept.rows.keys()];
    const row = rig.kept.rows.get(hash);
    expect(row).toMatchObject({ uid: 'u-1', endedAt: null, lastUsedAt: row?.createdAt });
    rig.kept.rows.set(hash, { ...(row as object), sealedToken: 'forged' } as never);
    expect(await rig.replica().find(secret)).toBeUndefined();
  });

  it('is kept without a uid and without a credential where it has none', async () => {
    const rig = new Rig();
    const { secret, session } = rig.begin({}, 'local');
    await settle();
    expect([...rig.kept.rows.values()]).toMatchObject([{ uid: null, sealedToken: null, groups: ['ops'] }]);
    const found = await rig.replica().find(secret);
    expect([found, rig.asked]).toEqual([session, 0]);
    expect(found?.person).toStrictEqual({ user: 'ann', groups: ['ops'] });
    expect(Object.keys(found ?? {})).not.toContain('leftOut');
    const named = rig.begin({ uid: 'u-9' }, 'local');
    await settle();
    expect((await rig.replica().find(named.secret))?.person).toStrictEqual({ user: 'ann', groups: ['ops'], uid: 'u-9' });
  });
});

describe('[issue 10, 1] the session of a provider', () => {
  it('has the groups that count now, and keeps those that do not for when they do', async () => {
    const rig = new Rig();
    const { secret, session } = rig.begin({ leftOut: ['devs'] }, 'oidc');
    await rig.clock.advance(MINUTE);
    expect(await rig.keeper.find(secret)).toBe(session);
    rig.counting = ['devs'];
    await rig.clock.advance(MINUTE);
    expect(await rig.keeper.find(secret)).toMatchObject({ groups: ['devs'], leftOut: ['ops'], person: { user: 'ann', groups: ['devs'] } });
    rig.counting = ['ops', 'devs'];
    await rig.clock.advance(MINUTE);
    expect(await rig.keeper.find(secret)).toMatchObject({ groups: ['devs', 'ops'], leftOut: [] });
  });

  it('has none of them on another replica before that asked', async () => {
    const rig = new Rig();
    const { secret } = rig.begin({ leftOut: ['devs'] }, 'oidc');
    await settle();
    expect([...rig.kept.rows.values()]).toMatchObject([{ groups: ['ops', 'devs'] }]);
    rig.counting = ['ops'];
    expect(await rig.replica().find(secret)).toMatchObject({ groups: ['ops'], leftOut: ['devs'], person: { groups: ['ops'] } });
    rig.counting = 'nobody can tell';
    expect(await rig.replica().find(secret)).toMatchObject({ groups: [], leftOut: ['ops', 'devs'], person: { groups: [] } });
  });
});

describe('[issue 10.4] of too many sessions', () => {
  const who = async (rig: Rig, ...begun: readonly { readonly secret: string }[]) =>
    Promise.all(begun.map(async ({ secret }) => (await rig.keeper.find(secret)) !== undefined));

  it('the oldest of that person and way goes, and nobody else’s', async () => {
    const rig = new Rig();
    const [command, other] = [rig.begin({}, 'local', true), rig.begin({ user: 'ben' }, 'local')];
    const own = [rig.begin({}, 'local'), rig.begin({}, 'local'), rig.begin({}, 'local')];
    expect(await who(rig, command, other, ...own)).toEqual([true, true, false, true, true]);
    const told: string[] = [];
    const [, second] = own;
    if (second !== undefined) rig.keeper.onEnd(second.session, (reason) => void told.push(reason));
    rig.begin({}, 'local');
    expect(told).toEqual(['You signed in elsewhere, and this was the oldest of your sessions.']);
  });

  it('those of commands are three hundred of a person', async () => {
    const rig = new Rig();
    const first = rig.begin({}, 'local', true);
    for (let at = 1; at < 300; at++) rig.begin({}, 'local', true);
    expect(await who(rig, first)).toEqual([true]);
    rig.begin({}, 'local', true);
    expect(await who(rig, first)).toEqual([false]);
  });

  it('those in the store are counted once the new one is there', async () => {
    const rig = new Rig();
    const { sessions } = rig.kept.store;
    const order: string[] = [];
    const [add, keep] = [sessions.add, sessions.beyondNewest];
    let open = () => undefined as unknown;
    sessions.add = async (row) => {
      await new Promise((resolve) => {
        open = () => resolve(undefined);
      });
      order.push('added');
      return add(row);
    };
    sessions.beyondNewest = async (...asked) => {
      order.push('counted');
      return keep(...asked);
    };
    rig.begin({}, 'local');
    await settle();
    expect(order).toEqual([]);
    open();
    await settle();
    expect(order).toEqual(['added', 'counted']);
  });

  it('[issue 10.7] those in the store go without waiting until another person’s, or one of a command, is kept', async () => {
    const rig = new Rig();
    const elsewhere = rig.replica();
    for (const _one of [1, 2]) elsewhere.begin({ user: 'ann', groups: ['ops'], mayInvite: false }, 'local', ORIGIN);
    await settle();
    const { sessions } = rig.kept.store;
    const add = sessions.add;
    sessions.add = (row) => (row.user === 'ben' || row.isCommand ? new Promise(() => undefined) : add(row));
    rig.begin({ user: 'ben' }, 'local');
    rig.begin({}, 'local', true);
    rig.begin({ user: 'ben' }, 'local', true);
    const before = [...rig.kept.rows.keys()];
    const { session } = rig.begin({}, 'local');
    await settle();
    expect([...rig.kept.rows.keys()]).toEqual([before[1], session.id]);
  });

  it('those that the store did not let go are told of in the log', async () => {
    const rig = new Rig();
    rig.begin({}, 'local');
    await settle();
    rig.kept.store.sessions.beyondNewest = async () => {
      throw new Error('no disk');
    };
    rig.begin({}, 'local');
    await settle();
    expect(rig.warned).toEqual([[{ error: 'no disk' }, 'could not end the oldest sessions of a person']]);
  });
});

describe('[issue 10, 1] a session that ends', () => {
  it('lasts twelve hours, or as long as its credential', async () => {
    const rig = new Rig();
    const [long, short] = [rig.begin({}, 'local'), rig.begin({ endsAt: (rig.clock.now() + 5000) as never }, 'local')];
    expect([long.session.expiresAt - rig.clock.now(), short.session.expiresAt - rig.clock.now()]).toEqual([12 * 3_600_000, 5000]);
    const told: string[] = [];
    rig.keeper.onEnd(short.session, (reason) => void told.push(reason));
    await rig.clock.advance(5000);
    expect(told).toEqual(['The session has expired: sign in again.']);
    rig.keeper.onEnd(short.session, (reason) => void told.push(reason));
    expect(told).toHaveLength(2);
  });

  it('of one that was never kept ends here and asks nothing of the store', async () => {
    const rig = new Rig();
    rig.isStoreOpen = false;
    const { session } = rig.begin({}, 'local');
    await settle();
    expect(rig.warned).toContainEqual([{ error: expect.stringContaining('no disk') }, 'a session was not kept and ends with the process']);
    await expect(rig.keeper.end(session, 'bye')).resolves.toBeUndefined();
    await expect(rig.keeper.end({ id: 'unknown' }, 'bye')).rejects.toMatchObject({ code: 'unavailable', cause: new Error('no disk') });
  });

  it('goes from the store once it is there, so that no replica brings it back', async () => {
    const rig = new Rig();
    const { session, secret } = rig.begin({}, 'local');
    await rig.keeper.end(session, 'bye');
    expect([rig.kept.rows.size, await rig.replica().find(secret)]).toEqual([0, undefined]);
  });
});
