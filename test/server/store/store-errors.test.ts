import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemIds } from '@/server/platform';
import type { SessionRow, Store } from '@/server/store';
import { openStore } from '@/server/store';
import { ManualClock } from '@/test/support/manual-clock';
import type { TestPostgres } from '@/test/support/postgres';
import { startPostgres } from '@/test/support/postgres';
import { silentLog } from '../../support/silent-log';

const CANARY = 'sealed-canary-7c1f';
const clock = new ManualClock();
const row: SessionRow = {
  cookieHash: 'hash',
  user: 'operator',
  groups: [],
  uid: null,
  mode: 'local',
  mayInvite: false,
  sealedToken: CANARY,
  isCommand: false,
  address: null,
  agent: null,
  handle: 'one',
  lastUsedAt: null,
  endedAt: null,
  createdAt: '2026-01-01T00:00:00Z',
  expiresAt: '2030-01-01T00:00:00Z',
};

const messageOf = async (asked: Promise<unknown>) => {
  const error: unknown = await asked.then(
    () => undefined,
    (failure: unknown) => failure,
  );
  if (!(error instanceof Error)) throw new Error('an error was wanted');
  return { error, text: `${error.message} ${error.stack}` };
};

describe('what the store says when it fails', () => {
  let postgres: TestPostgres;
  let store: Store;
  beforeAll(async () => {
    postgres = await startPostgres();
    store = await openStore({ kind: 'postgres', url: await postgres.addDatabase() }, { clock, ids: systemIds, log: silentLog });
  }, 90_000);
  afterAll(async () => {
    await store?.[Symbol.asyncDispose]();
    await postgres?.[Symbol.asyncDispose]();
  });

  it('[issue 10.5] is why a statement failed, without the statement and its values', async () => {
    const { error, text } = await messageOf(store.sessions.add({ ...row, expiresAt: null as unknown as string }));
    expect(error.message).toMatch(/null value in column "expires_at"/);
    expect(text).not.toMatch(new RegExp(`${CANARY}|insert into`, 'i'));
  });

  it('[issue 10.6] is that it does not answer, once it is gone', async () => {
    await store.sessions.add(row);
    expect(await store.keys.keyFor('values')).toBe(await store.keys.keyFor('values'));
    await postgres[Symbol.asyncDispose]();
    const { error, text } = await messageOf(store.sessions.add({ ...row, cookieHash: 'other' }));
    expect(error).toMatchObject({ code: 'unavailable', message: expect.stringMatching(/^the store does not answer: \S/) });
    expect(text).not.toMatch(new RegExp(`${CANARY}|insert into`, 'i'));
    await expect(store.audit.readRecent(1)).rejects.toMatchObject({ code: 'unavailable' });
    // What makes the names of Secrets with values is a value as well.
    const { error: ofKey, text: aboutKey } = await messageOf(store.keys.keyFor('values'));
    expect(ofKey).toMatchObject({ code: 'unavailable' });
    expect(aboutKey).not.toMatch(/server_keys|params/);
    const lines = async () => {
      for await (const line of store.audit.export('all')) return line;
    };
    await expect(lines()).rejects.toMatchObject({ code: 'unavailable' });
  });
});
