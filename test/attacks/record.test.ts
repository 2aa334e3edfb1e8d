import { chmod, mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { desc, sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { GENESIS } from '@/lib/contract/audit-chain';
import { keptHeads } from '@/server/store/audit/kept-heads';
import { signHead, temporaryKeys } from '@/server/store/audit/signing-key';
import type { OpenDatabase } from '@/server/store/database';
import { openMemory } from '@/server/store/embedded-database';
import { openPostgres } from '@/server/store/postgres-database';
import { audit } from '@/server/store/schema';
import type { TestPostgres } from '../support/postgres';
import { startPostgres } from '../support/postgres';
import { silentLog } from '../support/silent-log';
import type { OpenRecord } from './record-rig';
import { chainedAnew, exported, openRecord, rowsOf, START, verifyFile } from './record-rig';

// Making a database takes seconds of computing, and more on a busy machine.
const SLOW_MS = 90_000;

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startPostgres();
}, SLOW_MS);
afterAll(() => postgres[Symbol.asyncDispose]());

describe.each([
  ['PGlite', openMemory],
  ['a real Postgres', async () => openPostgres(await postgres.addDatabase(), silentLog)],
])('somebody who can write the store, on %s', (_what, openDatabase) => {
  let open: OpenDatabase;
  let folder: string;
  let record: OpenRecord;
  beforeAll(async () => {
    open = await openDatabase();
  }, SLOW_MS);
  afterAll(() => open[Symbol.asyncDispose]());
  beforeEach(async () => {
    await open.database.execute(sql`truncate audit, audit_keys`);
    folder = await mkdtemp(path.join(tmpdir(), 'slipway-heads-'));
    record = await openRecord(open.database, folder);
    await record.add('a', 'b', 'c', 'd');
    await record.clock.advance(1000);
  });
  afterEach(async () => {
    await record[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  /** Ends the process, and opens the record in another one. */
  const restart = async (): Promise<void> => {
    await record[Symbol.asyncDispose]();
    record = await openRecord(open.database, folder);
  };
  const headsFile = async () => keptHeads.parse(JSON.parse(await readFile(path.join(folder, 'heads.json'), 'utf8')));

  /** Puts the whole record anew, with other words in one entry and hashes that fit. */
  const rewrite = async (from: number): Promise<void> => {
    const rows = rowsOf(await exported(record.log));
    const forged = chainedAnew(
      rows.map((row) => (row.seq === from ? { ...row, message: 'nothing happened' } : row)),
      from,
    );
    await open.database.execute(sql`truncate audit`);
    await open.database.insert(audit).values(forged);
  };

  it('[issue 10.3] leaves a record intact that nobody touched, and says what vouches for it', async () => {
    expect(await record.log.verify()).toMatchObject({ entries: 4, intact: true, why: null, signed: { entries: 4 } });
    await restart();
    await record.add('e');
    await record.clock.advance(1000);
    expect(await record.log.verify()).toMatchObject({ entries: 5, intact: true, signed: { entries: 5 } });
    expect(record.log.troubles()).toEqual([]);
  });

  it.each([
    ['changes an entry', sql`update audit set message = 'nothing happened' where seq = 2`, 2, 'entry 2 was changed'],
    ['takes one out', sql`delete from audit where seq = 2`, 2, 'entry 2 is missing'],
    ['cuts the end off', sql`delete from audit where seq > 2`, 3, 'entries 3 to 4 are cut off'],
    ['cuts everything off', sql`delete from audit`, 1, 'entries 1 to 4 are cut off'],
  ])('[issue 10.3] is found out who %s, at once and after a restart', async (_act, tamper, brokenAt, why) => {
    await open.database.execute(tamper);
    expect(await record.log.verify()).toMatchObject({ intact: false, brokenAt, why: expect.stringContaining(why) });
    await restart();
    expect(await record.log.verify()).toMatchObject({ intact: false, brokenAt });
  });

  it('[issue 10, 7] is found out who changes one entry with its own hash and leaves the others, which no head tells', async () => {
    const rows = rowsOf(await exported(record.log));
    const changed = rows.map((row) => (row.seq === 2 ? { ...row, message: 'nothing happened' } : row));
    const [forged] = chainedAnew(changed, 2).filter(({ seq }) => seq === 2);
    if (forged === undefined) throw new Error('the record has no second entry');
    await open.database.execute(sql`truncate audit`);
    await open.database.insert(audit).values(rows.map((row) => (row.seq === 2 ? forged : row)));
    expect(await record.log.verify()).toMatchObject({
      intact: false,
      brokenAt: 3,
      why: expect.stringContaining('entry 3 does not follow from the one before'),
    });
  });

  it('[issue 10.3] is found out who inserts an entry and numbers the others again', async () => {
    const [first, ...others] = rowsOf(await exported(record.log));
    if (first === undefined) throw new Error('the record is empty');
    await open.database.execute(sql`truncate audit`);
    await open.database.insert(audit).values(chainedAnew([first, { ...first, id: 'forged', message: 'it was allowed' }, ...others], 2));
    expect(await record.log.verify()).toMatchObject({ entries: 5, intact: false, brokenAt: 1 });
  });

  it('[issue 10.3] is found out who writes the whole chain again, also when more is recorded afterwards', async () => {
    await rewrite(1);
    expect(await record.log.verify()).toMatchObject({ intact: false, brokenAt: 1, why: expect.stringContaining('not what was signed') });
    await record.add('e', 'f', 'g');
    await record.clock.advance(2000);
    expect(await record.log.verify()).toMatchObject({ entries: 7, intact: false, brokenAt: 1 });
    expect(record.log.troubles()).toHaveLength(1);
    await restart();
    expect(await record.log.verify()).toMatchObject({ intact: false });
  });

  it('[issue 10.3] is found out who cuts the end off and lets the record grow over it', async () => {
    await open.database.execute(sql`delete from audit where seq > 3`);
    await record.add('x', 'y');
    await record.clock.advance(2000);
    expect(await record.log.verify()).toMatchObject({ entries: 5, intact: false });
    expect(record.log.troubles()).toHaveLength(1);
  });

  it('[issue 10.3] is found out who does so while the heads cannot be read at the start, as soon as they can', async () => {
    const file = path.join(folder, 'heads.json');
    const aside = path.join(folder, 'aside.json');
    await record[Symbol.asyncDispose]();
    await open.database.execute(sql`delete from audit where seq > 2`);
    await rename(file, aside);
    await mkdir(file); // no file can be read, or written, there
    record = await openRecord(open.database, folder);
    await record.add('e', 'f', 'g');
    await record.clock.advance(2000);
    expect(record.log.troubles()).toEqual([expect.stringContaining('heads of the record could not be')]);
    await rm(file, { recursive: true });
    await rename(aside, file);
    await record.clock.advance(60_000);
    await restart();
    expect(await record.log.verify()).toMatchObject({ entries: 5, intact: false, brokenAt: 3 });
    expect(record.log.troubles()).toEqual([expect.stringContaining('no longer contains the 4 entries')]);
  });

  it('[issue 10.3] is found out who writes again what came after a signed head: only entries after it are in doubt', async () => {
    await record.clock.advance(24 * 3_600_000);
    expect((await headsFile()).signed).toMatchObject([{ entries: 4 }]);
    await record.add('e', 'f');
    await record.clock.advance(1000);
    await rewrite(5);
    expect(await record.log.verify()).toMatchObject({ intact: false, brokenAt: 5, signed: { entries: 4 } });
  });

  it('[issue 10.3] is found out who changes the heads as well, without the key', async () => {
    await rewrite(2);
    const heads = await headsFile();
    const [last] = await open.database.select().from(audit).orderBy(desc(audit.seq)).limit(1);
    const forged = last?.hash ?? GENESIS;
    await writeFile(path.join(folder, 'heads.json'), JSON.stringify({ ...heads, running: { ...heads.running, hash: forged } }));
    await restart();
    expect(await record.log.verify()).toMatchObject({ intact: false, why: expect.stringContaining('has an invalid signature') });
    await record.add('e');
    await record.clock.advance(1000);
    expect((await headsFile()).running).toMatchObject({ entries: 5 });
    expect(await record.log.verify()).toMatchObject({ intact: false, why: expect.stringContaining('has an invalid signature') });
    const lines = await exported(record.log);
    const stripped = lines.filter((line) => !('head' in line) || line === lines.at(-1));
    expect(await verifyFile(stripped), 'our signature makes good no record of which a head was changed').toMatchObject({ code: 1 });
  });

  it('[issue 10.3] is found out who puts a head of another key in the place of ours, however many entries it names', async () => {
    const stranger = signHead(temporaryKeys().current, { entries: 1e9, hash: GENESIS, at: new Date(START).toISOString() });
    await writeFile(path.join(folder, 'heads.json'), JSON.stringify({ ...(await headsFile()), running: stranger }));
    expect(await record.log.verify()).toMatchObject({ intact: true, signed: { entries: 4 } });
    expect(record.log.troubles()).toEqual([
      expect.stringMatching(
        /heads\.json holds 1 head that no key of this record signed\. Find out who put it there, then remove every head whose publicKey is not in an export of the record$/,
      ),
    ]);
    await record.add('e');
    await record.clock.advance(1000);
    expect((await headsFile()).running).toMatchObject({ entries: 5 });
    await open.database.execute(sql`delete from audit where seq > 2`);
    await restart();
    expect(await record.log.verify()).toMatchObject({ intact: false, brokenAt: 3 });
    expect(record.log.troubles()).toEqual([expect.stringContaining('no longer contains the 5 entries')]);
  });

  it('[issue 10.3] finds a head for what an earlier process recorded right before it was killed', async () => {
    await record.clock.advance(24 * 3_600_000);
    const before = await readFile(path.join(folder, 'heads.json'));
    await record.add('e');
    await record[Symbol.asyncDispose]();
    await writeFile(path.join(folder, 'heads.json'), before);
    record = await openRecord(open.database, folder);
    await record.clock.advance(1000);
    expect(await headsFile()).toMatchObject({ running: { entries: 5 }, signed: [{ entries: 4 }] });
    await open.database.execute(sql`delete from audit where seq > 4`);
    expect(await record.log.verify()).toMatchObject({ intact: false, brokenAt: 5 });
  });

  it('[issue 10.3] has none of what is signed afterwards for a record that they wrote again, also not at a thousandth entry', async () => {
    await rewrite(2);
    await Promise.all(Array.from({ length: 996 }, (_, at) => record.add(`many-${at}`)));
    await record.clock.advance(1000);
    const { running, signed } = await headsFile();
    const rows = rowsOf(await exported(record.log));
    for (const head of [running, signed.at(-1)]) {
      expect(head).toMatchObject({ entries: 1000, hash: rows.at(-1)?.hash, contradicts: { entries: 4 } });
      expect(await verifyFile([...rows, { head }])).toMatchObject({
        code: 1,
        text: expect.stringContaining('broken at entry 1: entries 1 to 1000 are not what was signed'),
      });
      expect(await verifyFile([...rows, { head: { ...head, contradicts: undefined } }])).toMatchObject({ code: 1 });
    }
  });

  it('[issue 10.3] signs a head at each thousandth entry, and the running one within a second', async () => {
    await Promise.all(Array.from({ length: 1000 }, (_, at) => record.add(`many-${at}`)));
    await record.clock.advance(1000);
    const { running, signed } = await headsFile();
    expect(running).toMatchObject({ entries: 1004 });
    expect(signed.map(({ entries }) => entries)).toEqual([1000]);
  });

  it('[issue 10.3] finds the key readable by nobody else on the machine', async () => {
    expect(((await stat(path.join(folder, 'key.pem'))).mode & 0o777).toString(8)).toBe('600');
    expect(((await stat(path.join(folder, 'heads.json'))).mode & 0o777).toString(8)).toBe('600');
  });

  it('[issue 10.3] is not helped by a key that cannot be read: the server starts with no other', async () => {
    await record[Symbol.asyncDispose]();
    const key = await readFile(path.join(folder, 'key.pem'));
    await writeFile(path.join(folder, 'key.pem'), 'nonsense');
    await expect(openRecord(open.database, folder)).rejects.toThrow('must be an Ed25519 private key in PEM');
    await writeFile(path.join(folder, 'key.pem'), key);
    record = await openRecord(open.database, folder);
  });

  describe('and exports', () => {
    it('[issue 10.3] checks an export by itself: of everything, and of some namespaces', async () => {
      await record.add('bank-1', 'e', 'bank-2');
      for (const namespaces of ['all', ['bank'], ['shop'], []] as const) {
        expect(await verifyFile(await exported(record.log, namespaces))).toMatchObject({
          code: 0,
          text: expect.stringContaining('vouches for'),
        });
      }
    });

    it.each([['all'], [['shop']]] as const)('[issue 10.3] finds what was done to an export of %j', async (namespaces) => {
      await record.add('bank-1', 'e');
      const lines = await exported(record.log, namespaces);
      const at = lines.findIndex((line) => 'seq' in line && line.seq === 2);
      const changed = lines.map((line, place) => (place === at && 'seq' in line ? { ...line, actor: 'eve' } : line));
      expect(await verifyFile(changed)).toMatchObject({ code: 1, text: expect.stringContaining('broken at entry 2: entry 2 was changed') });
      expect((await verifyFile(lines.filter((_, place) => place !== at))).text).toContain('broken at entry 2');
      const last = lines.findLastIndex((line) => 'seq' in line);
      expect((await verifyFile(lines.filter((_, place) => place !== last))).text).toContain(`broken at entry ${rowsOf(lines).at(-1)?.seq}`);
      expect((await verifyFile(lines.slice(0, last))).text).toContain('does not end with a signed head');
      const [first] = rowsOf(lines);
      if (first === undefined) throw new Error('the export is empty');
      expect(await verifyFile(lines.toSpliced(at, 0, { ...first, id: 'forged' }))).toMatchObject({ code: 1 });
    });

    it('[issue 10.3] finds an export that was written again and signed with another key, by a head that was kept', async () => {
      const kept = (await headsFile()).running;
      if (kept === null) throw new Error('no head was kept');
      const other = await mkdtemp(path.join(tmpdir(), 'slipway-other-'));
      await rewrite(3);
      await using forger = await openRecord(open.database, other);
      const forged = await exported(forger.log);
      expect(await verifyFile(forged)).toMatchObject({ code: 0 });
      expect(await verifyFile(forged, kept)).toMatchObject({ code: 1, text: expect.stringContaining('broken at entry 1') });
      await rm(other, { recursive: true });
    });

    it('[issue 10.3] trusts a key that took the place of another when that one vouches for it, and no other', async () => {
      const kept = (await headsFile()).running;
      if (kept === null) throw new Error('no head was kept');
      await record[Symbol.asyncDispose]();
      await rename(path.join(folder, 'key.pem'), path.join(folder, 'former-key.pem'));
      record = await openRecord(open.database, folder);
      await record.add('e');
      const lines = await exported(record.log);
      expect(lines.find((line) => 'keys' in line)).toMatchObject({ keys: [{ publicKey: kept.publicKey }, { endorsedBy: kept.publicKey }] });
      expect(await verifyFile(lines, kept)).toMatchObject({ code: 0 });
      expect(await record.log.verify()).toMatchObject({ intact: true });
      const unvouched = lines.map((line) => ('keys' in line ? { keys: line.keys.map((key) => ({ ...key, endorsement: null })) } : line));
      expect(await verifyFile(unvouched, kept)).toMatchObject({
        code: 1,
        text: expect.stringContaining('which no key of the kept heads vouches for'),
      });
    });

    it('[issue 10.3] does not sign an export of namespaces while the record contradicts its heads', async () => {
      await open.database.execute(sql`delete from audit where seq > 3`);
      expect((await verifyFile(await exported(record.log, ['shop']))).text).toContain('did not sign what contradicts its heads');
      expect(await verifyFile(await exported(record.log))).toMatchObject({ code: 1, text: expect.stringContaining('broken at entry 4') });
    });

    it('[issue 10.3] signs no record that was written again as if it were whole, though the heads that tell it are taken out', async () => {
      await rewrite(3);
      const lines = await exported(record.log);
      const end = lines.at(-1);
      expect(end).toMatchObject({ head: { entries: 4, contradicts: { entries: 4 } } });
      const stripped = lines.filter((line) => !('head' in line) || line === end);
      expect(stripped).toHaveLength(lines.length - 1);
      expect(await verifyFile(stripped)).toMatchObject({
        code: 1,
        text: expect.stringContaining('broken at entry 1: entries 1 to 4 are not what was signed'),
      });
    });

    it('[issue 10.3] is of the namespaces that it says: those of one alone do not pass for those of two', async () => {
      await record.add('bank-1');
      const lines = await exported(record.log, ['shop']);
      const other = lines.map((line) => ('export' in line ? { export: { namespaces: ['bank', 'shop'] } } : line));
      expect(await verifyFile(other)).toMatchObject({
        code: 1,
        text: expect.stringMatching(
          /broken at entry 1: this export says that it is of namespaces bank, shop, and the head .* is of namespaces shop/,
        ),
      });
      expect(await verifyFile(lines)).toMatchObject({ code: 0 });
    });

    it('[issue 10.3] is found to be cut off where a head stands in the middle of an export of namespaces', async () => {
      await Promise.all(Array.from({ length: 500 }, (_, at) => record.add(`many-${at}`)));
      const lines = await exported(record.log, ['shop']);
      const at = lines.findIndex((line) => 'head' in line);
      expect(rowsOf(lines.slice(0, at))).toHaveLength(500);
      const keys = lines.filter((line) => 'keys' in line);
      const [middle] = lines.slice(at, at + 1);
      for (const cut of [lines.slice(0, at + 1), [...lines.slice(0, at), ...keys, middle ?? {}]])
        expect(await verifyFile(cut)).toMatchObject({
          code: 1,
          text: expect.stringContaining('broken at entry 501: the export is cut off after entry 500'),
        });
      expect(await verifyFile(lines)).toMatchObject({ code: 0 });
    });
  });

  it('[issue 10.3] is told where heads cannot be written, and keeps them as soon as they can', async () => {
    await chmod(folder, 0o700);
    let isDown = true;
    const written: number[] = [];
    const place = {
      name: 'a cluster',
      keepsRunning: true,
      read: async () => undefined,
      async keep(_key: string, heads: { readonly running: { readonly entries: number } | null }) {
        if (isDown) throw new Error('it does not answer');
        written.push(heads.running?.entries ?? 0);
      },
    };
    await using beside = await openRecord(open.database, folder, { places: [place] });
    await beside.add('e');
    await beside.clock.advance(1000);
    expect(beside.log.troubles()).toEqual(['heads of the record could not be written in a cluster: it does not answer']);
    isDown = false;
    await beside.clock.advance(10_000);
    expect([beside.log.troubles(), written]).toEqual([[], [5]]);
  });
});

it(
  '[issue 10.3] two replicas that append at once make one row each and no gap, and each checks what both wrote',
  async () => {
    const url = await postgres.addDatabase();
    const folder = await mkdtemp(path.join(tmpdir(), 'slipway-replicas-'));
    const key = path.join(folder, 'shared.pem');
    await openRecord((await openPostgres(url, silentLog)).database, folder).then((first) => first[Symbol.asyncDispose]());
    await rename(path.join(folder, 'key.pem'), key);
    const databases = await Promise.all([openPostgres(url, silentLog), openPostgres(url, silentLog)]);
    const records = await Promise.all(
      databases.map(({ database }, at) => openRecord(database, path.join(folder, String(at)), { keyFile: key })),
    );
    await Promise.all(Array.from({ length: 30 }, (_, at) => Promise.all(records.map((each) => each.add(`entry-${at}`)))));
    for (const each of records) await each.clock.advance(1000);
    for (const each of records) expect(await each.log.verify()).toMatchObject({ entries: 30, intact: true });
    for (const each of [...records, ...databases]) await each[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  },
  SLOW_MS,
);
