import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AppError } from '@/lib/contract/app-error';
import type { ApiDeps } from '@/server/api/api-deps';
import type { Caller } from '@/server/api/route';
import { readEditable } from '@/server/api/routes/release-edit';
import type { NamedRelease } from '@/server/api/routes/release-storage';
import { readValuesSchema } from '@/server/chartsync/sources/chart-schema';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'chart-'));
});
afterEach(() => rm(folder, { recursive: true }));

const written = async (text: string) => {
  await writeFile(path.join(folder, 'values.schema.json'), text);
  return readValuesSchema({ folder });
};

describe('the schema of values that a chart holds', () => {
  it('[issue 12.4] is shown, and nothing where the chart has none', async () => {
    expect(await readValuesSchema({ folder })).toBeUndefined();
    expect(await written('{"type":"object"}')).toEqual({ type: 'object' });
    expect(await written('true')).toBeUndefined();
  });

  it('[issue 12.4] is told with its cause where it cannot be', async () => {
    await expect(written('{"type":')).rejects.toThrow(/^values\.schema\.json of the chart is not valid JSON: .*JSON/);
    await expect(written('[]')).rejects.toThrow('values.schema.json of the chart must be a JSON object, found a list');
    await expect(written(`{"title":"${'x'.repeat(300_000)}"}`)).rejects.toThrow('has 300012 bytes, more than the 262144 that are shown');
    await rm(path.join(folder, 'values.schema.json'));
    await mkdir(path.join(folder, 'values.schema.json'));
    await expect(readValuesSchema({ folder })).rejects.toThrow('values.schema.json of the chart cannot be read: EISDIR');
  });

  it('[issue 12.4] keeps nobody from editing, who is told why it is not there', async () => {
    const edit = (schema: () => Promise<unknown>) => {
      const deps = { commands: { readEditableRelease: async () => ({ values: 'a: 1' }) }, releases: { schema } } as unknown as ApiDeps; // no more is asked for
      return readEditable({ params: {}, query: {} } as unknown as NamedRelease, { session: {} } as unknown as Caller, deps);
    };
    const unreadable = edit(async () => {
      throw new AppError('invalid', 'values.schema.json of the chart is no JSON');
    });
    expect(await unreadable).toEqual({ values: 'a: 1', schema: null, schemaLacks: 'values.schema.json of the chart is no JSON' });
    expect(await edit(async () => ({ type: 'object' }))).toEqual({ values: 'a: 1', schema: { type: 'object' }, schemaLacks: null });
    expect(await edit(async () => undefined)).toEqual({ values: 'a: 1', schema: null, schemaLacks: null });
  });
});
