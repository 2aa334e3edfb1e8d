import { describe, expect, it } from 'vitest';
import type { TableQuery } from '@/server/commands/objects/read-table';
import type { Person, RawRequest } from '@/server/kube';
import type { AskedRight } from '../../auth/fake-cluster';
import type { CommandRules } from '../rig';
import { createCommandRig } from '../rig';

const OF = { group: '', named: 'ConfigMap' };
const row = (name: string) => ({ object: { metadata: { name, namespace: 'shop' } }, cells: [name] });
const tableOf = (names: readonly string[], next?: string) => ({
  kind: 'Table',
  metadata: { ...(next === undefined ? {} : { continue: next }), remainingItemCount: 7 },
  columnDefinitions: [{ name: 'Name', type: 'string', description: '', priority: 0 }],
  rows: names.map(row),
});

/** Tables of a cluster whose answers the test plays, page by page. */
async function open(pages: readonly object[], rules: CommandRules = {}) {
  const asked: { readonly path: string; readonly person: Person | undefined }[] = [];
  const request = async ({ path }: RawRequest, person: Person | undefined) => {
    const body = Buffer.from(JSON.stringify(pages[Math.min(asked.length, pages.length - 1)]));
    asked.push({ path, person });
    return {
      status: 200,
      headers: {},
      body: (async function* () {
        yield body;
      })(),
    };
  };
  const rig = await createCommandRig({ request, ...rules });
  return { ...rig, asked, read: (query: TableQuery = {}) => rig.commands.readTable(rig.session, OF, query) };
}

describe('a table of any kind', () => {
  it('[design 8] is asked of the cluster as the person, and not at all without the right to list', async () => {
    const { read, asked, session } = await open([tableOf(['a'])]);
    expect((await read({ ns: 'shop' })).rows.map(({ name }) => name)).toEqual(['a']);
    expect(asked.map(({ person }) => person)).toEqual([session.person]);
    const may = ({ verb, resource }: AskedRight) => verb !== 'list' || resource !== 'configmaps';
    const poor = await open([tableOf(['a'])], { may });
    await expect(poor.read({ ns: 'shop' })).rejects.toMatchObject({ code: 'forbidden' });
    expect(poor.asked).toEqual([]);
  });

  it('[design 8] of a namespace is that one’s alone', async () => {
    const may = ({ verb, resource, namespace }: AskedRight) => verb !== 'list' || resource !== 'configmaps' || namespace === 'shop';
    const { read, asked } = await open([tableOf(['a'])], { may });
    await read({ ns: 'shop' });
    expect(asked[0]?.path).toMatch(/^\/api\/v1\/namespaces\/shop\/configmaps\?/);
    await expect(read({ ns: 'other' })).rejects.toMatchObject({ code: 'forbidden' });
    await expect(read()).rejects.toMatchObject({ code: 'forbidden' });
    expect(asked).toHaveLength(1);
  });

  it('[issue 10.4] is looked through for a name to a bound, and goes on where that ended', async () => {
    const many = Array.from({ length: 500 }, (_, at) => `other-${at}`);
    const endless = await open([tableOf(many, 'more')]);
    const answer = await endless.read({ q: 'wanted' });
    expect([answer.rows, answer.next, answer.scanned, endless.asked.length]).toEqual([
      [],
      'more',
      500 * endless.asked.length,
      endless.asked.length,
    ]);
    expect(endless.asked.length).toBeLessThanOrEqual(20);
    expect(endless.asked.every(({ person }) => person === endless.session.person)).toBe(true);
    await endless.read({ q: 'wanted', next: 'more' });
    expect(endless.asked.at(-1)?.path).toContain('continue=more');
    const whole = await open([tableOf(['wanted-1', 'other'])]);
    expect(await whole.read({ q: 'WANTED' })).toMatchObject({
      rows: [{ name: 'wanted-1' }],
      next: null,
      scanned: null,
      looked: null,
      remaining: null,
    });
  });

  it('[issue 10.4] is looked through no further once nobody waits', async () => {
    const leaving = new AbortController();
    const pages = [tableOf(['a'], 'more')];
    const { read, asked } = await open(pages);
    const reading = read({ q: 'wanted', signal: leaving.signal });
    leaving.abort(new Error('the reader left'));
    await expect(reading).rejects.toThrow('the reader left');
    expect(asked.length).toBeLessThanOrEqual(1);
  });
});
