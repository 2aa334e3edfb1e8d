import { sql } from 'drizzle-orm';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { AuditRow } from '@/lib/contract/audit-chain';
import type { ExportLine } from '@/lib/contract/audit-head';
import type { RecordEntry } from '@/lib/contract/record-entry';
import { toInstant } from '@/lib/std/instant';
import { silentLog } from '@/server/platform';
import type { AuditLog } from '@/server/store/audit/audit-log';
import { createAuditLog } from '@/server/store/audit/audit-log';
import { HeadKeeper } from '@/server/store/audit/head-keeper';
import { temporaryKeys } from '@/server/store/audit/signing-key';
import type { Database, OpenDatabase } from '@/server/store/database';
import { openMemory } from '@/server/store/embedded-database';
import { openPostgres } from '@/server/store/postgres-database';
import { ManualClock } from '@/test/support/manual-clock';
import type { TestPostgres } from '@/test/support/postgres';
import { startPostgres } from '@/test/support/postgres';

// Making a database takes seconds of computing, and more on a busy machine.
const SLOW_MS = 90_000;
const START = Date.UTC(2026, 0, 1, 9);

function anEntry(id: string, over: Partial<RecordEntry> = {}): RecordEntry {
  return {
    id,
    at: toInstant(START),
    actor: 'ada',
    action: 'decision.approve',
    about: { apiVersion: 'serving.knative.dev/v1', kind: 'RolloutOrchestrator', namespace: 'shop', name: 'web' },
    message: 'approval 1 of 1',
    ...over,
  };
}

async function all(rows: AsyncIterable<AuditRow | ExportLine>): Promise<AuditRow[]> {
  const found: AuditRow[] = [];
  for await (const row of rows) if ('seq' in row) found.push(row);
  return found;
}

/** The record over a database, with heads that only this process has. */
function openLog(database: Database, clock = new ManualClock()): AuditLog {
  return createAuditLog(database, clock, new HeadKeeper({ database, keys: temporaryKeys(), places: [], clock, log: silentLog }));
}

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startPostgres();
}, SLOW_MS);
afterAll(() => postgres[Symbol.asyncDispose]());

describe.each([
  ['PGlite', openMemory],
  ['a real Postgres', async () => openPostgres(await postgres.addDatabase(), silentLog)],
])('the record on %s', (_what, openDatabase) => {
  let open: OpenDatabase;
  let log: AuditLog;
  beforeAll(async () => {
    open = await openDatabase();
  }, SLOW_MS);
  beforeEach(async () => {
    await open.database.execute(sql`truncate audit`);
    log = openLog(open.database);
  });
  afterAll(() => open[Symbol.asyncDispose]());

  it('[design 5] appends an entry once per id, however often and however many at a time it is offered', async () => {
    await Promise.all([log.append(anEntry('a')), log.append(anEntry('b')), log.append(anEntry('a'))]);
    await log.append(anEntry('b', { message: 'another text' }));
    const rows = await all(log.export('all'));
    expect(rows.map(({ seq, id, message }) => [seq, id, message])).toEqual([
      [1, 'a', 'approval 1 of 1'],
      [2, 'b', 'approval 1 of 1'],
    ]);
  });

  it(
    '[design 5] carries in each row the hash of the one before, over any text people write',
    async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.record({ message: fc.string({ unit: 'binary' }), data: fc.dictionary(fc.string(), fc.jsonValue()) }), { minLength: 1, maxLength: 5 }),
          async (texts) => {
            const before = (await log.verify()).entries;
            for (const [at, text] of texts.entries()) await log.append(anEntry(`any-${before}-${at}`, text));
            expect(await log.verify()).toMatchObject({ entries: before + texts.length, intact: true, brokenAt: null });
          },
        ),
        { numRuns: 15 },
      );
    },
    SLOW_MS,
  );

  it.each([
    ['a text that was changed', sql`update audit set message = 'nothing happened' where seq = 2`, 2],
    ['an actor that was changed', sql`update audit set actor = 'eve' where seq = 3`, 3],
    ['an entry that was taken out', sql`delete from audit where seq = 2`, 2],
    ['an entry that was given another place', sql`update audit set seq = 9 where seq = 1`, 1],
    ['data that was added', sql`update audit set data = '{}' where seq = 1`, 1],
  ])('[design 5] finds %s', async (_what, tamper, brokenAt) => {
    for (const id of ['a', 'b', 'c']) await log.append(anEntry(id));
    await open.database.execute(tamper);
    expect(await log.verify()).toMatchObject({ intact: false, brokenAt });
  });

  it('[design 5] goes on with the chain of an earlier process', async () => {
    await log.append(anEntry('a'));
    await openLog(open.database).append(anEntry('b'));
    expect(await log.verify()).toMatchObject({ entries: 2, intact: true, brokenAt: null });
  });

  it('[issue 13] adds an entry after one of its own by one statement, and looks first where another process went on', async () => {
    let transactions = 0;
    const counted = new Proxy(open.database, {
      get: (database, name, self) => {
        if (name === 'transaction') transactions++;
        return Reflect.get(database, name, self) as unknown;
      },
    });
    const [ours, other] = [openLog(counted), openLog(open.database)];
    await ours.append(anEntry('a'));
    await Promise.all(['b', 'c'].map((id) => ours.append(anEntry(id))));
    await ours.append(anEntry('d', { about: { apiVersion: 'v1', kind: 'Namespace', name: 'shop' }, data: { stage: 2 } }));
    expect(transactions).toBe(1);
    await other.append(anEntry('e'));
    await ours.append(anEntry('f'));
    await ours.append(anEntry('e'));
    await ours.append(anEntry('a'));
    expect((await all(log.export('all'))).map(({ seq, id }) => [seq, id])).toEqual(['a', 'b', 'c', 'd', 'e', 'f'].map((id, at) => [at + 1, id]));
    expect(await log.verify()).toMatchObject({ entries: 6, intact: true, brokenAt: null });
  });

  it('[design 8] shows a page of what a reader may see, newest first', async () => {
    for (let at = 0; at < 5; at++) {
      const about = { apiVersion: 'v1', kind: 'ConfigMap', namespace: at % 2 ? 'shop' : 'bank', name: `object_${at}` };
      await log.append(anEntry(`e${at}`, { about, actor: at === 4 ? 'grace' : 'ada' }));
    }
    const ids = async (over: object) => (await log.readPage({ namespaces: 'all', page: 0, size: 10, ...over })).rows.map(({ id }) => id);
    expect(await ids({})).toEqual(['e4', 'e3', 'e2', 'e1', 'e0']);
    expect(await ids({ namespaces: ['shop'] })).toEqual(['e3', 'e1']);
    expect(await ids({ namespaces: [] })).toEqual([]);
    expect(await ids({ q: 'GRACE' })).toEqual(['e4']);
    expect(await ids({ q: 'object_1' })).toEqual(['e1']);
    expect(await ids({ q: '%' })).toEqual([]);
    for (const member of ['q', 'ns', 'action']) expect(await ids({ [member]: '\0' })).toEqual([]);
    expect(await ids({ ns: 'shop', ascending: true })).toEqual(['e1', 'e3']);
    expect(await log.readPage({ namespaces: 'all', page: 1, size: 2 })).toMatchObject({ total: 5, rows: [{ id: 'e2' }, { id: 'e1' }] });
  });

  it('[design 4] gives the newest entries back as they were, newest last', async () => {
    await log.append(anEntry('a'));
    const entry = anEntry('b', { data: { stage: 2 }, about: { apiVersion: 'v1', kind: 'Namespace', name: 'shop' } });
    await log.append(entry);
    expect(await log.readRecent(1)).toEqual([entry]);
  });
});

describe('the record that replicas share', () => {
  it(
    '[design 4] is one chain without a gap, however many append at once, the first opening included',
    async () => {
      const url = await postgres.addDatabase();
      const opened = await Promise.all([0, 1, 2].map(() => openPostgres(url, silentLog)));
      const logs = opened.map(({ database }) => openLog(database));
      const ids = Array.from({ length: 60 }, (_, at) => `entry-${at}`);
      await Promise.all(ids.flatMap((id) => logs.map((log) => log.append(anEntry(id)))));
      const [log] = logs;
      expect(await log?.verify()).toMatchObject({ entries: 60, intact: true, brokenAt: null });
      const rows = log === undefined ? [] : await all(log.export('all'));
      expect(rows.map(({ seq }) => seq)).toEqual(ids.map((_, at) => at + 1));
      expect(rows.map(({ id }) => id).sort()).toEqual([...ids].sort());
      for (const each of opened) await each[Symbol.asyncDispose]();
    },
    SLOW_MS,
  );
});
