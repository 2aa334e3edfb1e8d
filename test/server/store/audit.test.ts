import { sql } from 'drizzle-orm';
import fc from 'fast-check';
import type { Pool, QueryResult } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { AuditRow } from '@/lib/contract/audit-chain';
import type { ExportLine } from '@/lib/contract/audit-head';
import type { RecordEntry } from '@/lib/contract/record-entry';
import { KINDS } from '@/lib/kube/kinds';
import type { TypeRef } from '@/lib/kube/object';
import { toInstant } from '@/lib/std/instant';
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
import { silentLog } from '../../support/silent-log';

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

interface Plan {
  readonly 'Node Type': string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly Plan[];
}

/** Does the reading and answers what it found, how many entries the database looked at for it by its own account, and for one question at most. */
async function noting<Found>(database: Database, read: () => Promise<Found>) {
  const pool = (database as unknown as { readonly $client: Pick<Pool, 'query'> }).$client;
  const asked: { readonly text: string; readonly values: unknown[] }[] = [];
  const query = pool.query.bind(pool) as (query: { text: string }, values: unknown[]) => Promise<QueryResult>;
  pool.query = ((one: { text: string }, values: unknown[]) => {
    asked.push({ text: one.text, values });
    return query(one, values);
  }) as Pool['query'];
  const found = await read();
  pool.query = query as Pool['query'];
  const touched: number[] = [];
  for (const { text, values } of asked) {
    const { rows } = await query({ text: `explain (analyze, format json) ${text}` }, values);
    touched.push(entriesOf(rows[0]['QUERY PLAN'][0].Plan));
  }
  return { found, touched: touched.reduce((sum, one) => sum + one, 0), longest: Math.max(...touched) };
}

function entriesOf(plan: Plan): number {
  const own =
    plan['Node Type'].includes('Scan') && !plan['Node Type'].startsWith('Bitmap Index')
      ? plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)
      : 0;
  return own * plan['Actual Loops'] + (plan.Plans ?? []).reduce((sum, part) => sum + entriesOf(part), 0);
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
          fc.array(fc.record({ message: fc.string({ unit: 'binary' }), data: fc.dictionary(fc.string(), fc.jsonValue()) }), {
            minLength: 1,
            maxLength: 5,
          }),
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
    expect((await all(log.export('all'))).map(({ seq, id }) => [seq, id])).toEqual(
      ['a', 'b', 'c', 'd', 'e', 'f'].map((id, at) => [at + 1, id]),
    );
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
    for (const member of ['q', 'action']) expect(await ids({ [member]: '\0' })).toEqual([]);
    for (const ns of [['\0'], ['\0', 'nowhere']]) expect(await ids({ ns })).toEqual([]);
    expect(await ids({ ns: ['shop'], ascending: true })).toEqual(['e1', 'e3']);
    expect(await ids({ ns: ['shop', 'nowhere'] })).toEqual(['e3', 'e1']);
    expect(await ids({ ns: ['bank', 'shop'] })).toEqual(['e4', 'e3', 'e2', 'e1', 'e0']);
    expect(await ids({ ns: ['bank', 'shop'], namespaces: ['shop'] })).toEqual(['e3', 'e1']);
    expect(await log.readPage({ namespaces: 'all', page: 1, size: 2 })).toMatchObject({ total: 5, rows: [{ id: 'e2' }, { id: 'e1' }] });
  });

  it('[issue 10, 4] reads of a long record what a page shows and no more, and says when it did not count to the end', async () => {
    const { database } = open;
    const long = 20_000;
    await database.execute(sql`insert into audit select g, 'row-' || g, '2026-01-01T09:00:00.000Z', 'person-' || (g % 40), 'act-' || (g % 8), 'v1',
      'ConfigMap', 'shop-' || (g % 4), 'web-' || (g % 200), 'in words', null, '', '' from generate_series(1, ${sql.raw(String(long))}) as g`);
    await database.execute(sql`analyze audit`);
    const page = { namespaces: 'all', page: 0, size: 50 } as const;
    const some = ['shop-1', 'shop-3'];
    const pages: readonly (readonly [object, object])[] = [
      [{}, { total: long, more: false, first: long }],
      [{ page: 300 }, { total: long, more: false, first: long - 15_000 }],
      [
        { page: 2, ascending: true },
        { total: long, more: false, first: 101 },
      ],
      [{ before: 500 }, { total: 499, more: false, first: 499 }],
      [{ sort: 'actor' }, { total: long, more: false, first: 19_969 }],
      [
        { sort: 'action', ascending: true },
        { total: long, more: false, first: 8 },
      ],
      [{ action: 'act-3' }, { total: 1000, more: true, first: 19_995 }],
      [{ action: 'nobody did this' }, { total: 0, more: false }],
      [{ ns: some }, { total: 1000, more: true, first: 19_999 }],
      [{ ns: ['shop-2'] }, { total: 1000, more: true, first: 19_998 }],
      [{ namespaces: some }, { total: 1000, more: true, first: 19_999 }],
      [
        { namespaces: some, before: 300 },
        { total: 150, more: false, first: 299 },
      ],
      [{ namespaces: ['absent'] }, { total: 0, more: false }],
      [{ q: 'shop-3' }, { total: 1000, more: true, first: 19_999 }],
    ];
    for (const [over, { first, ...wanted }] of pages as readonly (readonly [object, { readonly first?: number }])[]) {
      const { found, touched } = await noting(database, () => log.readPage({ ...page, ...over }));
      expect([over, { total: found.total, more: found.more }, found.rows[0]?.seq, found.rows.length]).toEqual([
        over,
        wanted,
        first,
        first ? 50 : 0,
      ]);
      expect([over, touched < 7000 ? 'few' : touched]).toEqual([over, 'few']);
    }
  });

  it('[issue 14.2] reads entries of some acts with their data, oldest first, since a moment or about one object, and looks at few others', async () => {
    const { database } = open;
    const long = 20_000;
    await database.execute(sql`insert into audit select g, 'row-' || g, to_char(timestamp '2026-01-01' + g * interval '1 minute', 'YYYY-MM-DD"T"HH24:MI:SS".000Z"'), 'ada',
      'act-' || (g % 8), 'v1', 'ConfigMap', 'shop-' || (g % 4), 'web-' || (g % 200), 'in words', '{"at":' || g || '}', '', '' from generate_series(1, ${sql.raw(String(long))}) as g`);
    await database.execute(sql`analyze audit`);
    const since = toInstant(Date.UTC(2026, 0, 1) + (long - 100) * 60_000);
    const late = await noting(database, () => log.readEntries({ actions: ['act-3', 'act-5'], since, most: 500 }));
    expect(late.found.map(({ data }) => Number(data?.at) % 8).toSorted()).toEqual([...Array(12).fill(3), ...Array(13).fill(5)]);
    expect(late.found.every(({ at }, index, all) => at >= since && at >= (all[index - 1]?.at ?? 0))).toBe(true);
    expect(late.touched).toBeLessThan(2000);
    const newest = await log.readEntries({ actions: ['act-3'], most: 1200 });
    expect([newest.length, newest.at(-1)?.data?.at, newest[0]?.data?.at]).toEqual([1200, 19_995, 19_995 - 1199 * 8]);
    const about = await log.readEntries({ actions: ['act-3', 'act-5'], about: { namespace: 'shop-3', name: 'web-3' }, most: 10 });
    expect(about.map(({ about: { namespace, name }, action }) => `${namespace} ${name} ${action}`)).toEqual(
      Array(10).fill('shop-3 web-3 act-3'),
    );
    const of = (type: TypeRef, most = 2) =>
      log.readEntries({ actions: ['act-3'], about: { namespace: 'shop-3', name: 'web-3', type }, most });
    await database.execute(sql`update audit set kind = 'HelmRelease', api_version = case when seq = 3 then 'helm.fluxcd.io/v1' when seq > 10000 then
      'flux.weave.works/v1beta1' else 'helm.toolkit.fluxcd.io/v2' end where namespace = 'shop-3' and name = 'web-3'`);
    expect((await of(KINDS.helmRelease)).map(({ data }) => data?.at)).toEqual([3]); // however many newer ones are of another kind of that name
    expect((await of({ ...KINDS.olderHelmRelease, apiVersion: 'flux.weave.works/v1' })).map(({ about }) => about.apiVersion)).toEqual(
      Array(2).fill('flux.weave.works/v1beta1'),
    );
    expect(await of({ ...KINDS.helmRelease, kind: 'Other' })).toEqual([]);
    expect(await log.readEntries({ actions: ['nobody did this'], since, most: 10 })).toEqual([]);
  });

  it('[issue 10, 4] searches a long record in slices, each of which is short, to its end or until it is told to stop', async () => {
    const { database } = open;
    await database.execute(sql`insert into audit select g, 'row-' || g, '2026-01-01T09:00:00.000Z', 'person-' || (g % 3), 'act', 'v1', 'ConfigMap', 'shop',
      'web', case when g in (7, 4000, 9000) then 'a needle' else 'hay' end, null, '', '' from generate_series(1, 9500) as g`);
    const query = { namespaces: 'all', page: 0, size: 2, q: 'Needle' } as const;
    const { found, longest } = await noting(database, () => log.readPage(query));
    expect(found).toMatchObject({ total: 3, more: false, rows: [{ seq: 9000 }, { seq: 4000 }] });
    expect(longest).toBeLessThanOrEqual(2000);
    expect(await log.readPage({ ...query, page: 1 })).toMatchObject({ total: 3, rows: [{ seq: 7 }] });
    expect(await log.readPage({ ...query, ascending: true })).toMatchObject({ rows: [{ seq: 7 }, { seq: 4000 }] });
    // 9000 % 3 = 0, 4000 % 3 = 1, 7 % 3 = 1
    expect(await log.readPage({ ...query, sort: 'actor', size: 3 })).toMatchObject({ rows: [{ seq: 4000 }, { seq: 7 }, { seq: 9000 }] });
    await expect(log.readPage(query, AbortSignal.abort(new Error('went away')))).rejects.toThrow('went away');
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
