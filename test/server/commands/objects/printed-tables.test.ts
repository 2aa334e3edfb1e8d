import { describe, expect, it } from 'vitest';
import { MAX_SCANNED, TABLE_PAGE } from '@/lib/contract/object-rows';
import { MAX_READ_LEVELS } from '@/lib/kube/depth';
import type { KubeObject } from '@/lib/kube/object';
import type { CommandDeps } from '@/server/commands/command-deps';
import { readAnswer } from '@/server/commands/objects/read-answer';
import { readKinds } from '@/server/commands/objects/read-kinds';
import { readTable } from '@/server/commands/objects/read-table';
import type { ApiResource, Cluster } from '@/server/kube';
import { ANN } from './rig';

const MAPS = { group: '', named: 'configmaps' };
const resource = (kind: string, more: object = {}) =>
  ({
    group: '',
    version: 'v1',
    kind,
    plural: `${kind.toLowerCase()}s`,
    singular: kind.toLowerCase(),
    shortNames: [],
    categories: [],
    namespaced: true,
    verbs: ['get', 'list'],
    ...more,
  }) as unknown as ApiResource;

/** A cluster that serves kinds, and answers raw requests one after the other. */
function rigOf(
  answers: readonly unknown[],
  { kinds = [resource('ConfigMap')], status = 200, rules = {} }: { kinds?: readonly ApiResource[]; status?: number; rules?: object } = {},
) {
  const asked: URL[] = [];
  const headers: unknown[] = [];
  const cluster = {
    discovery: {
      all: async () => kinds,
      resolve: async () => kinds[0],
      resolveKind: async ({ kind }: { kind?: string }) => kinds.find((one) => one.kind === kind) ?? kinds[0],
      invalidate: () => undefined,
    },
    request: async ({ path, headers: sent }: { path: string; headers?: object }) => {
      asked.push(new URL(path, 'http://cluster'));
      headers.push(sent);
      const answer = answers[Math.min(asked.length, answers.length) - 1];
      return {
        status,
        headers: {},
        body: (async function* () {
          yield typeof answer === 'string' ? Buffer.from(answer) : Buffer.from(JSON.stringify(answer));
        })(),
      };
    },
    create: async (review: KubeObject) => ({ ...review, status: { resourceRules: [], nonResourceRules: [], incomplete: false, ...rules } }),
  };
  const deps = {
    cluster: { ...cluster, as: () => cluster },
    clock: { now: () => 0 },
    auth: { authorise: async () => ({ visibility: 'all' }) },
  } as unknown as CommandDeps;
  return { deps, asked, headers, cluster: cluster as unknown as Cluster };
}

const rowOf = (name: string, cells: readonly unknown[] = [name], metadata: object = {}) => ({
  object: { metadata: { name, namespace: 'shop', ...metadata } },
  cells,
});
const table = (rows: readonly object[], more: object = {}) => ({
  kind: 'Table',
  columnDefinitions: [{ name: 'Name' }],
  rows,
  metadata: more,
});

describe('[issue 14.1] a table of the API server', () => {
  it('is told column by column and cell by cell, without a password in an address', async () => {
    const columns = [{ name: 'Name', type: 'date', description: 'what it is called', priority: 1 }, {}];
    const cells = ['a', null, undefined, 5, { deep: 1 }, 'https://ann:hunter2@example.com'];
    const metadata = {
      ...{ uid: 'u', creationTimestamp: '2026-01-01T08:00:00Z', deletionTimestamp: '2026-01-01T09:00:00Z', labels: { a: 1 } },
      ownerReferences: [
        { kind: 'Deployment', name: '' },
        { kind: '', name: 'x' },
        { apiVersion: 'apps/v1', kind: 'Deployment', name: 'plain', uid: 'p' },
        { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'up', uid: 'o', controller: true },
      ],
    };
    const rows = [
      rowOf('a', cells, metadata),
      rowOf('b'),
      { object: { metadata: { name: 'c' } }, cells: [] },
      { object: {}, cells: ['?'] },
    ];
    const { deps, headers } = rigOf([{ ...table(rows), columnDefinitions: columns }]);
    const told = await readTable(deps, ANN, MAPS, {});
    expect(told.columns).toEqual([columns[0], { name: '', type: 'string', description: '', priority: 0 }]);
    expect(told.rows).toEqual([
      {
        ...{
          key: 'shop/a',
          ns: 'shop',
          name: 'a',
          uid: 'u',
          createdAt: '2026-01-01T08:00:00Z',
          deleting: true,
          owner: 'ReplicaSet/shop/up',
        },
        cells: ['a', '', '', '5', '{"deep":1}', 'https://••••••••@example.com'],
      },
      { key: 'shop/b', ns: 'shop', name: 'b', uid: null, createdAt: null, deleting: false, owner: null, cells: ['b'] },
      { key: '/c', ns: null, name: 'c', uid: null, createdAt: null, deleting: false, owner: null, cells: [] },
    ]);
    expect([told.next, told.remaining, told.scanned, headers]).toEqual([
      null,
      null,
      null,
      [{ accept: expect.stringContaining('as=Table') }],
    ]);
  });

  it('is made of names alone where the server prints none', async () => {
    const list = {
      kind: 'ConfigMapList',
      items: [{ metadata: { name: 'a', namespace: 'shop' } }, { metadata: {} }],
      metadata: { continue: 'more', remainingItemCount: 3 },
    };
    const told = await readTable(rigOf([list]).deps, ANN, MAPS, {});
    const column = (name: string) => ({ name, type: 'string', description: '', priority: 0 });
    expect([told.columns, told.rows.map(({ cells }) => cells), told.next, told.remaining]).toEqual([
      [column('Name'), column('Age')],
      [['a', '']],
      'more',
      3,
    ]);
  });

  it('is refused of a kind that cannot be listed, with what can be done with it', async () => {
    const { deps, asked } = rigOf([], { kinds: [resource('Review', { verbs: ['create'] })] });
    await expect(readTable(deps, ANN, MAPS, {})).rejects.toMatchObject({
      code: 'rejected',
      message: 'reviews cannot be listed: the cluster offers create',
    });
    expect(asked).toEqual([]);
  });

  it('is looked through for a name until a page is full, and no further than five thousand objects', async () => {
    const page = (count: number, name = 'other') =>
      table(
        Array.from({ length: count }, (_, at) => rowOf(`${name}-${at}`)),
        { continue: 'next' },
      );
    const limitOf = ({ searchParams }: URL) => searchParams.get('limit');
    const none = rigOf([page(500)]);
    const told = await readTable(none.deps, ANN, MAPS, { q: 'wanted', next: 'from' });
    expect([told.rows, told.scanned, told.next, none.asked.length]).toEqual([[], MAX_SCANNED, 'next', MAX_SCANNED / 500]);
    expect(told.looked).toBe(MAX_SCANNED); // its older name
    expect(none.asked.map(({ searchParams }) => searchParams.get('continue')).slice(0, 2)).toEqual(['from', 'next']);
    expect(new Set(none.asked.map(limitOf))).toEqual(new Set(['500']));
    const full = rigOf([page(TABLE_PAGE - 1, 'wanted'), page(1, 'wanted'), page(1, 'wanted')]);
    expect([(await readTable(full.deps, ANN, MAPS, { q: 'WANTED' })).rows.length, full.asked.length]).toEqual([TABLE_PAGE, 2]);
    const end = rigOf([page(10), table([rowOf('wanted')])]);
    expect(await readTable(end.deps, ANN, MAPS, { q: 'wanted' })).toMatchObject({ scanned: null, next: null, rows: [{ name: 'wanted' }] });
    const plain = rigOf([page(3)]);
    await readTable(plain.deps, ANN, MAPS, { owner: [] });
    expect(plain.asked.map(limitOf)).toEqual([String(TABLE_PAGE)]);
  });

  it('is looked through no further for somebody who left', async () => {
    const { deps, asked } = rigOf([table([], { continue: 'next' })]);
    await expect(readTable(deps, ANN, MAPS, { q: 'a', signal: AbortSignal.abort(new Error('left')) })).rejects.toThrow('left');
    expect(asked).toEqual([]);
  });
});

describe('[issue 10.4] an answer of the cluster', () => {
  const sized = (bytes: number) => rigOf([`"${'x'.repeat(bytes - 2)}"`]).cluster;

  it('is read up to 32 MB, and asked for as nothing else than it is where nothing is said', async () => {
    expect(await readAnswer(sized(32_000_000), '/api', { what: 'list maps' })).toHaveLength(31_999_998);
    await expect(readAnswer(sized(32_000_001), '/api', { what: 'list maps' })).rejects.toMatchObject({
      code: 'too-large',
      message: 'the answer to list maps has more than 32000000 bytes; ask for one namespace or by a label',
    });
    const { cluster, headers } = rigOf(['{}']);
    await readAnswer(cluster, '/api', { what: 'list maps' });
    expect(headers).toStrictEqual([{}]);
  });

  it('is read 600 levels deep, and refused before it is parsed where it is deeper', async () => {
    const deep = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
    expect(await readAnswer(rigOf([deep(MAX_READ_LEVELS)]).cluster, '/api', { what: 'list maps' })).toHaveProperty('a.a.a');
    const unparsed = `${deep(MAX_READ_LEVELS + 1)} and no JSON`;
    await expect(readAnswer(rigOf([unparsed]).cluster, '/api', { what: 'list maps' })).rejects.toMatchObject({
      code: 'too-large',
      message: 'the answer to list maps is nested deeper than 600 levels, more than is shown here; read it with kubectl',
    });
  });

  it.each([
    [{ reason: 'Forbidden', message: 'no' }, 'Forbidden', 'no'],
    [{}, '', 'it answered 403'],
    [['no'], '', 'it answered 403'],
  ])('that is a refusal is told in its words: %j', async (body, reason, message) => {
    await expect(readAnswer(rigOf([body], { status: 403 }).cluster, '/api', { what: 'list' })).rejects.toMatchObject({
      message,
      status: { code: 403, reason },
    });
  });
});

describe('[issue 14.1] the kinds that a person may list', () => {
  const kinds = [
    resource('Zebra', { shortNames: ['z'] }),
    resource('Deployment', { group: 'apps' }),
    resource('Apple'),
    resource('Review', { verbs: ['create'] }),
    resource('ComponentStatus'),
  ];
  const rules = { resourceRules: [{ verbs: ['list'], apiGroups: [''], resources: ['apples', 'zebras'] }] };

  it('are those of which the cluster says so, by group and name, and the others are named', async () => {
    const told = await readKinds(rigOf([], { kinds, rules }).deps, ANN, undefined);
    expect([told.kinds.map(({ kind, shortNames }) => [kind, shortNames]), told.refused.map(({ kind }) => kind), told.incomplete]).toEqual([
      [
        ['Apple', []],
        ['Zebra', ['z']],
      ],
      ['Deployment'],
      false,
    ]);
    const all = await readKinds(rigOf([], { kinds, rules: { ...rules, incomplete: true } }).deps, ANN, undefined);
    expect([all.kinds.map(({ kind }) => kind), all.refused, all.incomplete]).toEqual([['Apple', 'Zebra', 'Deployment'], [], true]);
  });
});
