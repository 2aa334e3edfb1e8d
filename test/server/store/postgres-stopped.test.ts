import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AuditRecorder } from '@/server/audit-recorder';
import { realClock, systemIds } from '@/server/platform';
import { openPendingEntries, openStore } from '@/server/store';
import { LOCKS } from '@/server/store/database';
import { anEntry } from '@/test/attacks/record-rig';
import type { TestPostgres } from '@/test/support/postgres';
import { startPostgres } from '@/test/support/postgres';
import { until } from '@/test/support/until';
import { silentLog } from '../../support/silent-log';

// Making a database takes seconds of computing, and more on a busy machine.
const SLOW_MS = 90_000;

describe('a Postgres that goes away in the middle of a transaction', () => {
  let postgres: TestPostgres;
  beforeAll(async () => {
    postgres = await startPostgres();
  }, SLOW_MS);
  afterAll(() => postgres[Symbol.asyncDispose]());

  it('[issue 10.6] loses no act and records none twice: what was on its way waits, people are refused, and the chain is whole afterwards', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'slipway-stopped-'));
    const url = await postgres.addDatabase();
    const admin = await connected(url.replace(/[^/]*$/, 'postgres'));
    const rival = await connected(url);
    const name = url.slice(url.lastIndexOf('/') + 1);
    const signing = { folder: path.join(folder, 'audit'), places: [] };
    const store = await openStore({ kind: 'postgres', url }, { clock: realClock, ids: systemIds, log: silentLog, signing });
    const waiting = await openPendingEntries(signing.folder);
    const recording = new AuditRecorder({
      opening: { now: async () => store, whenOpen: Promise.resolve(store) },
      waiting,
      clock: realClock,
      log: silentLog,
      onRecorded: () => undefined,
    });
    try {
      await until('the record is open', async () => (await recording.stands()) === 'open');
      await recording.recordAct(anEntry('before'));
      // Whoever holds this keeps the next append in the middle of its transaction.
      await rival.query('select pg_advisory_lock($1)', [LOCKS.audit]);
      const onTheWay = ['a', 'b', 'c'].map((id) => recording.recordAct(anEntry(id)));
      const ours = `select pid from pg_stat_activity where application_name = 'slipway' and datname = '${name}'`;
      await until('it is in its transaction', async () => (await admin.query(`${ours} and wait_event = 'advisory'`)).rowCount === 1);
      await admin.query(`alter database ${name} with allow_connections false`);
      await admin.query(`select pg_terminate_backend(pid) from (${ours}) as ours`);
      await Promise.all(onTheWay);
      await recording.recordAct(anEntry('d'));
      await expect(recording.record(anEntry('by a person'))).rejects.toMatchObject({ code: 'unavailable' });
      expect([waiting.size(), recording.trouble()]).toMatchObject([4, { full: false }]);

      await rival.query('select pg_advisory_unlock($1)', [LOCKS.audit]);
      await admin.query(`alter database ${name} with allow_connections true`);
      await until('it is written again', () => recording.trouble() === null && waiting.size() === 0);
      await recording.record(anEntry('after'));
      const recorded = (await store.audit.readRecent(100)).map(({ id }) => id);
      expect(recorded).toEqual(['before', 'a', 'b', 'c', 'd', 'after']);
      expect(await store.audit.verify()).toMatchObject({ intact: true, entries: 6 });
    } finally {
      recording[Symbol.dispose]();
      await store[Symbol.asyncDispose]();
      await Promise.all([admin.end(), rival.end()]);
      await rm(folder, { recursive: true, force: true });
    }
  });
});

async function connected(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client;
}
