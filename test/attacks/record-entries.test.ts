import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { openMemory } from '@/server/store/embedded-database';
import { anEntry, openRecord } from './record-rig';

it('[issue 10.3] takes entries that no index holds as they are, as of hundreds of trackers or of a name without end, each once and after each other', async () => {
  await using open = await openMemory();
  const folder = await mkdtemp(path.join(tmpdir(), 'slipway-entries-'));
  await using record = await openRecord(open.database, folder);
  await record.add('a');
  const uids = Array.from({ length: 300 }, () => randomUUID()).join(',');
  const long = [`garbage.planned:${uids}:1`, `garbage.planned:${uids}:2`, `${'ü'.repeat(300)}:1`];
  const name = randomBytes(6000).toString('base64');
  for (const id of [...long, ...long]) await record.log.append({ ...anEntry(id), actor: `ada ${name}`, action: `decision.${name}` });
  await Promise.all(long.map((id) => record.log.append(anEntry(id))));
  expect(await record.log.known([...long, 'a', 'unknown', `garbage.planned:${uids}:3`])).toEqual(new Set([...long, 'a']));
  expect(await record.log.verify()).toMatchObject({ entries: 4, intact: true });
  const [entry] = await record.log.readRecent(1);
  expect(entry?.actor).toMatch(/^ada .{524}…sha256:[0-9a-f]{64}$/);
  expect((await record.log.readEntry(long[2] ?? '', 'all'))?.message).toBe(`approval ${long[2]}`);
  const page = await record.log.readPage({ namespaces: 'all', actor: `ada ${name}`, page: 0, size: 10 });
  expect(page.rows).toHaveLength(3);
  await rm(folder, { recursive: true });
}, 90_000);
