import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toInstant, toIso } from '@/lib/std/instant';
import { systemIds } from '@/server/platform';
import { lockDataFolder, lockFolder } from '@/server/platform/folder-lock';
import type { SessionRow, Store } from '@/server/store';
import { openStore } from '@/server/store';
import { DatabaseThread } from '@/server/store/database-thread';
import { openPostgres } from '@/server/store/postgres-database';
import { sessions } from '@/server/store/schema';
import { ThreadSocket } from '@/server/store/thread-socket';
import { ManualClock } from '@/test/support/manual-clock';
import type { TestPostgres } from '@/test/support/postgres';
import { startPostgres } from '@/test/support/postgres';
import { until } from '@/test/support/until';
import { silentLog } from '../../support/silent-log';

// Making a database takes seconds of computing, and more on a busy machine.
const SLOW_MS = 90_000;
const DAY_MS = 86_400_000;
const clock = new ManualClock();
const deps = { clock, ids: systemIds, log: silentLog };

function aSession(over: Partial<SessionRow> = {}): SessionRow {
  return {
    cookieHash: 'hash',
    user: 'operator',
    groups: ['slipway:operators'],
    uid: null,
    mode: 'local',
    mayInvite: false,
    sealedToken: null,
    isCommand: false,
    address: null,
    agent: null,
    handle: systemIds.uuid(),
    lastUsedAt: null,
    endedAt: null,
    createdAt: toIso(clock.now()),
    expiresAt: toIso(toInstant(clock.now() + 1000)),
    ...over,
  };
}

describe('a store in a folder', () => {
  let dataDir: string;
  let umask: number;
  beforeAll(async () => {
    umask = process.umask(0); // what is private is so by itself, and not by the habits of the machine
    dataDir = await mkdtemp(path.join(tmpdir(), 'slipway-store-'));
    await chmod(dataDir, 0o777); // as an earlier start may have left it
  });
  afterAll(async () => {
    process.umask(umask);
    await rm(dataDir, { recursive: true, force: true });
  });

  const modeOf = async (file: string) => ((await stat(file)).mode & 0o777).toString(8);

  it(
    '[stack 7, issue 9, 6] lets one process in, tells the second why not, keeps what was written, and shows it to nobody else on the machine',
    async () => {
      const kept = aSession();
      await mkdir(path.join(dataDir, 'postgres-draft-half'), { recursive: true }); // of a process that ended while it made one
      {
        await using store = await openStore({ kind: 'folder', dataDir }, deps);
        expect((await readdir(dataDir)).sort()).toEqual(['postgres', 'store.lock']);
        expect(await modeOf(dataDir)).toBe('700');
        expect(await modeOf(path.join(dataDir, 'postgres'))).toBe('700');
        expect(await modeOf(path.join(dataDir, 'store.lock'))).toBe('600');
        await store.sessions.add(kept);
        await expect(openStore({ kind: 'folder', dataDir }, deps)).rejects.toThrow(
          `is in use by process ${process.pid}; stop it, or give this one another --data-dir`,
        );
      }
      await using again = await openStore({ kind: 'folder', dataDir }, deps);
      expect(await again.sessions.read('hash')).toEqual(kept);
    },
    SLOW_MS,
  );

  it(
    '[issue figures] opens a copy of a database that was made before, which is as private',
    async () => {
      const draft = { path: await mkdtemp(path.join(dataDir, 'copy-draft-')), template: path.join(dataDir, 'postgres') };
      const copied = path.join(dataDir, 'copy');
      await using thread = await DatabaseThread.open({ folder: copied, draft, settings: [] });
      const client = new pg.Client({ ssl: false, user: 'postgres', database: 'postgres', stream: () => new ThreadSocket(thread) });
      await client.connect();
      expect((await client.query('select cookie_hash as hash from sessions')).rows).toEqual([{ hash: 'hash' }]);
      await client.end();
      expect(await modeOf(copied)).toBe('700');
      expect((await readdir(dataDir)).sort()).toEqual(['copy', 'postgres']);
    },
    SLOW_MS,
  );
});

describe('the lock of a folder', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'slipway-lock-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it.each([
    ['a process that is gone', { pid: 2 ** 22 - 1 }],
    ['an earlier boot of the machine', { boot: 'another' }],
    ['a process whose number another one has now', { started: '1' }],
  ])('[stack 7] is taken over from %s', async (_who, over) => {
    const file = path.join(folder, 'store.lock');
    const held = await lockFolder(path.join(folder, 'store.lock'), systemIds);
    const holder = JSON.parse(await readFile(file, 'utf8')) as object;
    await held[Symbol.asyncDispose]();
    await writeFile(file, JSON.stringify({ ...holder, nonce: 'theirs', ...over }));
    await using lock = await lockFolder(path.join(folder, 'store.lock'), systemIds);
    expect(lock).toBeDefined();
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ pid: process.pid });
  });

  it('[stack 7] is taken over from a process that was killed and whose parent never asks how it ended', async () => {
    const file = path.join(folder, 'store.lock');
    await using parent = startForgetfulParent();
    const pid = await parent.child;
    const state = async () => (await readFile(`/proc/${pid}/stat`, 'latin1')).replace(/^.*\) /s, '').split(' ');
    await until('its parent asks for nothing', async () => (await readFile(`/proc/${parent.pid}/comm`, 'utf8')) === 'sleep\n');
    process.kill(pid, 'SIGKILL');
    await until('it has ended', async () => (await state())[0] === 'Z');
    const held = await lockFolder(file, systemIds);
    const holder = JSON.parse(await readFile(file, 'utf8')) as object;
    await held[Symbol.asyncDispose]();
    await writeFile(file, JSON.stringify({ ...holder, nonce: 'theirs', pid, started: (await state())[19] }));
    await using lock = await lockFolder(file, systemIds);
    expect(lock).toBeDefined();
  });

  it('[stack 7] that was cut short is nobody’s', async () => {
    await writeFile(path.join(folder, 'store.lock'), '{"pid":');
    await using lock = await lockFolder(path.join(folder, 'store.lock'), systemIds);
    expect(lock).toBeDefined();
  });

  it('[stack 7] of a whole data folder is refused while a server of the release before holds its store, and left free', async () => {
    const data = path.join(folder, 'data');
    await mkdir(path.join(data, 'store'), { recursive: true });
    const held = await lockFolder(path.join(data, 'store', 'store.lock'), systemIds);
    await expect(lockDataFolder(data, systemIds)).rejects.toThrow(`the data folder ${data} is in use by process ${process.pid}`);
    await held[Symbol.asyncDispose]();
    await using lock = await lockDataFolder(data, systemIds);
    expect(lock).toBeDefined();
  });

  it('[stack 7] is taken by exactly one of many at once', async () => {
    const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => lockFolder(path.join(folder, 'store.lock'), systemIds)));
    const taken = outcomes.filter((outcome) => outcome.status === 'fulfilled');
    expect(taken).toHaveLength(1);
    for (const { value } of taken) await value[Symbol.asyncDispose]();
  });
});

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startPostgres();
}, SLOW_MS);
afterAll(() => postgres[Symbol.asyncDispose]());

describe.each([
  ['PGlite', async () => ({ kind: 'memory' }) as const],
  ['a real Postgres', async () => ({ kind: 'postgres', url: await postgres.addDatabase() }) as const],
])('the store on %s', (_what, choosePlace) => {
  let store: Store;
  beforeAll(async () => {
    store = await openStore(await choosePlace(), deps);
  }, SLOW_MS);
  afterAll(() => store[Symbol.asyncDispose]());

  it('[design 8] does not know a session that is over', async () => {
    await store.sessions.add(aSession({ cookieHash: 'short' }));
    expect(await store.sessions.read('short')).toMatchObject({ user: 'operator' });
    await clock.advance(1000);
    expect(await store.sessions.read('short')).toBeUndefined();
  });

  it('[issue 10.4] tells the oldest sessions of a person beyond a number: of commands or of the others, and none that is over', async () => {
    const at = (ms: number) => toIso(toInstant(clock.now() + ms));
    const names = [...Array(4).keys()].flatMap((age) => [`command-${age}`, `browser-${age}`]);
    for (const [age, cookieHash] of names.entries())
      await store.sessions.add(aSession({ cookieHash, user: 'kinds', createdAt: at(age), isCommand: cookieHash.startsWith('command') }));
    await store.sessions.end(['browser-3']);
    const beyond = (isCommand: boolean, count: number) => store.sessions.beyondNewest({ user: 'kinds', isCommand }, count);
    expect(await beyond(true, 1)).toEqual(['command-2', 'command-1', 'command-0']);
    expect(await beyond(false, 1)).toEqual(['browser-1', 'browser-0']);
    expect([await beyond(false, 3), await store.sessions.beyondNewest({ user: 'other', isCommand: false }, 0)]).toEqual([[], []]);
  });

  it('[design 8] forgets a session that was ended', async () => {
    await store.sessions.add(aSession({ cookieHash: 'ended' }));
    await store.sessions.end(['ended']);
    expect(await store.sessions.read('ended')).toBeUndefined();
  });

  it('[issue 14.3] tells for some minutes which sessions ended, keeps no credential of them, and forgets them then', async () => {
    const url = toInstant(clock.now());
    const ended = async (since: number) => (await store.sessions.endedSince(toInstant(since))).toSorted();
    const long = { expiresAt: toIso(toInstant(clock.now() + DAY_MS)), user: 'told' };
    for (const cookieHash of ['told-1', 'told-2']) await store.sessions.add(aSession({ ...long, cookieHash, sealedToken: 'sealed' }));
    await clock.advance(1000);
    await store.sessions.end(['told-1', 'unknown']);
    expect(await ended(url)).toEqual(expect.arrayContaining(['told-1']));
    expect(await store.sessions.touch('told-1')).toBe(false);
    expect(await ended(clock.now())).toEqual([]);
    await clock.advance(11 * 60_000);
    await store.sessions.end(['told-2']);
    expect(await ended(0)).toEqual(['told-2']);
  });

  it('[issue 14.3] lists sessions page by page, the last used first, of a person or with a text, and none that is over', async () => {
    const expiresAt = toIso(toInstant(clock.now() + DAY_MS));
    for (const [at, name] of ['list-a', 'list-b', 'list-c'].entries()) {
      const seen = { createdAt: toIso(toInstant(clock.now() + at)), lastUsedAt: null, address: `10.9.0.${at}`, handle: `handle-${name}` };
      await store.sessions.add(
        aSession({ ...seen, cookieHash: name, user: at === 2 ? 'Lister_B' : 'lister-a', expiresAt, sealedToken: 'sealed' }),
      );
    }
    await clock.advance(5000);
    expect(await store.sessions.touch('list-a')).toBe(true);
    const list = async (query: {
      readonly first?: string;
      readonly user?: string;
      readonly q?: string;
      readonly page?: number;
      readonly size?: number;
    }) => {
      const { total, rows } = await store.sessions.list({ page: 0, size: 50, ...query });
      expect(JSON.stringify(rows)).not.toContain('sealed');
      return [total, ...rows.map(({ cookieHash }) => cookieHash)];
    };
    expect(await list({ user: 'lister-a' })).toEqual([2, 'list-a', 'list-b']);
    expect(await list({ user: 'lister-a', first: 'list-b' })).toEqual([2, 'list-b', 'list-a']);
    expect(await list({ user: 'lister-a', page: 1, size: 1 })).toEqual([2, 'list-b']);
    expect(await list({ q: 'LISTER' })).toEqual([3, 'list-a', 'list-c', 'list-b']);
    expect(await list({ q: 'r_b' })).toEqual([1, 'list-c']); // a sign of patterns means itself
    expect(await list({ q: '10.9.0.1' })).toEqual([1, 'list-b']);
    expect(await store.sessions.find('handle-list-b')).toMatchObject({ cookieHash: 'list-b' });
    await store.sessions.end(['list-b']);
    expect(await list({ user: 'lister-a' })).toEqual([1, 'list-a']);
    expect(await store.sessions.find('handle-list-b')).toBeUndefined();
    expect(await store.sessions.ofUser('lister-a')).toMatchObject([{ cookieHash: 'list-a' }]);
  });

  it('[design 9] gives back the newest samples of each revision, oldest first', async () => {
    const sample = (key: string, minute: number) => ({
      key,
      at: toIso(toInstant(Date.UTC(2026, 0, 1, 9, minute))),
      stageMin: minute,
      stageMax: null,
      desired: 1.5,
      actual: 0,
    });
    await store.samples.append([0, 1, 2].flatMap((minute) => [sample('shop/web-v1', minute), sample('shop/web-v2', minute)]));
    expect(await store.samples.readRecent(2)).toEqual(
      [1, 2].flatMap((minute) => [sample('shop/web-v1', minute), sample('shop/web-v2', minute)]),
    );
    const from = toInstant(Date.UTC(2026, 0, 1, 9, 1));
    expect(await store.samples.readRange('shop/web-v1', from, toInstant(from + 60_000))).toEqual([
      sample('shop/web-v1', 1),
      sample('shop/web-v1', 2),
    ]);
    await store.samples.prune(from);
    expect(await store.samples.readRecent(9)).toHaveLength(4);
  });
});

it('[issue 9, 6] a store forgets each day the sessions that are over, and keeps the others', async () => {
  const url = await postgres.addDatabase();
  const time = new ManualClock();
  await using store = await openStore({ kind: 'postgres', url }, { ...deps, clock: time });
  const endsIn = (cookieHash: string, ms: number) =>
    store.sessions.add(aSession({ cookieHash, expiresAt: toIso(toInstant(time.now() + ms)) }));
  await endsIn('an hour', 3_600_000);
  await endsIn('a day', DAY_MS);
  await endsIn('two days', 2 * DAY_MS);
  await using beside = await openPostgres(url, silentLog);
  const kept = async () => (await beside.database.select().from(sessions)).map(({ cookieHash }) => cookieHash).sort();
  await time.advance(DAY_MS - 1);
  expect(await kept()).toEqual(['a day', 'an hour', 'two days']);
  await time.advance(1);
  await expect.poll(kept).toEqual(['two days']);
});

/** A process with a child for which it never asks once it is called sleep. */
function startForgetfulParent(): AsyncDisposable & { readonly pid: number | undefined; readonly child: Promise<number> } {
  const parent = spawn('sh', ['-c', 'sleep 60 & echo $!; exec sleep 60'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(parent, 'exit');
  return {
    pid: parent.pid,
    child: once(parent.stdout, 'data').then(([text]) => Number(String(text).trim())),
    async [Symbol.asyncDispose]() {
      parent.kill('SIGKILL');
      await ended;
    },
  };
}
