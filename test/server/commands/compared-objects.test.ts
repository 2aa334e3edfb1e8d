import { describe, expect, it } from 'vitest';
import type { SavePreview } from '@/lib/contract/change-rows';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import type { ChangePlan } from '@/server/application';
import type { CommandDeps, StoredPlan } from '@/server/commands/command-deps';
import { comparable, diffObjects, isSame, mergeOnto, writable } from '@/server/commands/object-diff';
import { readPreview } from '@/server/commands/preview-changes';
import { previewObjects } from '@/server/commands/preview-objects';
import type { Cluster } from '@/server/kube';
import { KubeApiError, NoMatchError } from '@/server/kube';
import { ANN, configMap } from './objects/rig';
import { anApplication, aRevision, createCommandRig, SHOP } from './rig';

const withData = (count: number, value: string, metadata: object = {}): KubeObject => ({
  ...configMap('a', metadata),
  data: Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${String(at).padStart(4, '0')}`, value])),
});

describe('[design 9] an object as people compare it', () => {
  const kept = {
    uid: 'u',
    resourceVersion: '7',
    generation: 2,
    creationTimestamp: '2026-01-01T00:00:00Z',
    managedFields: [],
    selfLink: '/a',
  };

  it('is without its status and what the server alone writes, and that makes no difference', () => {
    const object = { ...configMap('a', { ...kept, labels: { team: 'a' }, annotations: undefined }), status: { phase: 'Ready' } };
    expect(writable(object)).toStrictEqual(configMap('a', { labels: { team: 'a' } }));
    expect(comparable(object)).toEqual(configMap('a', { labels: { team: 'a' } }));
    const [before, after] = [object, configMap('a', { labels: { team: 'a' } })];
    expect([isSame(before, after), diffObjects(before, after)]).toEqual([true, null]);
    expect([isSame(before, configMap('a')), diffObjects(before, configMap('a'))?.some(({ sign }) => sign === '-')]).toEqual([false, true]);
  });

  it('is told in 400 lines at most, and how many more differ', () => {
    const lines = (count: number) => diffObjects(withData(count, 'a'), withData(count, 'b')) ?? [];
    expect([lines(197).length, lines(197).at(-1)?.text]).toEqual([400, expect.not.stringContaining('more lines differ')]);
    expect([lines(300).length, lines(300).at(-1)]).toEqual([401, { sign: '…', text: '206 more lines differ' }]);
  });

  it('becomes what is laid over it: maps are joined, everything else is replaced, and what is not said stays', () => {
    const live = { spec: { replicas: 3, list: [1, 2], kept: 'a' }, data: 'text' };
    expect(mergeOnto(live, { spec: { replicas: 5, list: [3], kept: undefined }, data: { a: 1 } })).toEqual({
      spec: { replicas: 5, list: [3], kept: 'a' },
      data: { a: 1 },
    });
    expect([mergeOnto({ a: 1 }, 'text'), mergeOnto('text', { a: 1 })]).toEqual(['text', { a: 1 }]);
  });
});

describe('[issue 14.1] the rows of a plan', () => {
  const planned = (name: string, more: object = {}) => {
    const live = configMap(name, { uid: 'u' });
    const manifest = { ...configMap(name), data: { a: '2' } };
    return {
      id: `ConfigMap/default/${name}`,
      at: { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name },
      verdict: 'changed',
      why: 'it differs',
      wanted: { manifest, live, fields: { data: { a: '2' } } },
      ...more,
    };
  };
  const rowsOf = (
    objects: readonly object[],
    { patch, ungranted }: { patch?: (at: object) => Promise<unknown>; ungranted?: string } = {},
  ) => {
    const sent: unknown[] = [];
    const write = (at: { readonly name?: string; readonly metadata?: { readonly name?: string } }, ...more: readonly object[]) => {
      sent.push([at.name ?? at.metadata?.name, more.at(-1)]);
      return patch === undefined ? Promise.resolve({ ...configMap('a'), data: { a: '3' } }) : patch(at);
    };
    const cluster = { patch: write, create: write } as unknown as Cluster;
    return previewObjects(cluster, { objects, ungranted } as unknown as ChangePlan).then((rows) => ({ rows, sent }));
  };

  it('try only what is made or changed, without effect, and tell what the cluster makes of it', async () => {
    const stays = planned('stays', { verdict: 'kept' });
    const made = planned('made', { verdict: 'new', wanted: { manifest: configMap('made'), live: undefined } });
    const { rows, sent } = await rowsOf([
      planned('changed'),
      stays,
      made,
      planned('goes', { verdict: 'deleted', wanted: undefined, uid: 'g' }),
    ]);
    expect(sent).toEqual([
      ['changed', expect.objectContaining({ dryRun: true })],
      ['made', expect.objectContaining({ dryRun: true })],
    ]);
    expect(rows.map(({ name, verdict, uid, blast, diff }) => [name, verdict, uid, blast, diff !== null])).toEqual([
      ['changed', 'changed', null, [], true],
      ['stays', 'kept', null, [], false],
      ['made', 'new', null, [], false],
      ['goes', 'deleted', 'g', [], false],
    ]);
    expect(rows[0]?.diff?.map(({ sign, text }) => sign + text.trim())).toContain('+a: "3"');
  });

  it('show three hundred differences at most', async () => {
    const many = Array.from({ length: 302 }, (_, at) => planned(`c-${String(at).padStart(3, '0')}`));
    const same = planned('same', { wanted: { manifest: configMap('same'), live: configMap('same') } });
    const { rows, sent } = await rowsOf([same, ...many], { ungranted: 'slipway grant shop' });
    expect(rows.filter(({ diff }) => diff !== null)).toHaveLength(300);
    expect(sent).toEqual([]);
    expect(rows[1]?.why).toBe('it differs; no dry run was made: the server may not write it yet');
  });

  it('show nothing of what is made where it may not be tried', async () => {
    const made = planned('made', { verdict: 'new', wanted: { manifest: configMap('made'), live: undefined } });
    expect((await rowsOf([made], { ungranted: 'slipway grant shop' })).rows).toMatchObject([{ verdict: 'new', diff: null }]);
  });

  const answered = (code: number, reason: string, details: object = {}) =>
    new KubeApiError({ code, reason, message: `the dry run says ${reason}`, details });
  const LATER = 'it differs; no dry run was made: it depends on objects that are applied first';
  it.each<readonly [string, Error, string, string]>([
    ['of a kind that is not there yet', new Error('not applied', { cause: new NoMatchError(KINDS.application) }), 'changed', LATER],
    ['in a namespace that is not there yet', new Error('not applied', { cause: answered(404, 'NotFound') }), 'changed', LATER],
    [
      'that nothing can be tried of',
      answered(400, 'BadRequest'),
      'changed',
      'it differs; no dry run was made: The cluster answered: the dry run says BadRequest',
    ],
    ['with a field that is wrong', answered(422, 'Invalid', { causes: [{ field: 'data.a', message: 'no' }] }), 'refused', 'data.a: no'],
    ['that the server may not write', answered(403, 'Forbidden'), 'refused', 'The cluster answered: the dry run says Forbidden'],
  ])('say why one was not tried, or not taken: %s', async (_what, error, verdict, why) => {
    const namespace: KubeObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default' } };
    const itsNamespace = planned('default', { verdict: 'kept', wanted: { manifest: namespace, live: undefined } });
    const { rows } = await rowsOf([planned('one'), itsNamespace], { patch: () => Promise.reject(error) });
    expect(rows[0]).toMatchObject({ verdict, why });
    expect(rows[0]?.diff === null).toBe(verdict === 'refused');
  });
});

it('[issue 14.2] a kept preview is that of the very application', async () => {
  const kept: StoredPlan<SavePreview> = {
    ...{ digest: 'sha256:1', ...SHOP, at: '2026-01-01T08:00:00Z', by: 'ada', base: '' },
    preview: { changes: [], refused: null } as unknown as SavePreview,
  };
  const deps = { previews: { read: async (digest: string) => (digest === kept.digest ? kept : undefined) } } as unknown as CommandDeps;
  expect(await readPreview(deps, ANN, SHOP, 'sha256:1')).toMatchObject({ by: 'ada', preview: { changes: [], refused: null } });
  for (const [place, digest] of [
    [{ ...SHOP, ns: 'labs' }, 'sha256:1'],
    [{ ...SHOP, name: 'other' }, 'sha256:1'],
    [SHOP, 'sha256:2'],
  ] as const)
    expect(await readPreview(deps, ANN, place, digest)).toBeUndefined();
});

describe('[design 9] two revisions of which one has more', () => {
  const revisionOf = (name: string, spec: object): KubeObject => ({
    ...aRevision(name, 'x'),
    spec: { application: { ...KINDS.application, metadata: { name: 'web', namespace: 'shop' }, spec } },
  });
  const front = (image: string) => ({ name: 'front', type: 'webservice', properties: { image } });
  const back = { name: 'back', type: 'webservice', properties: { image: 'back:1' } };
  const staged = { policies: [{ name: 'staged', type: 'rollout', properties: { component: 'front' } }] };
  const compare = async (from: object, to: object, names: readonly [string, string] = ['v1', 'v2']) => {
    const objects = [anApplication(), revisionOf('web-v1', from), revisionOf('web-v2', to), revisionOf('web-v12', to)];
    const { commands, session } = await createCommandRig({ objects });
    const { rows } = await commands.compareRevisions(session, SHOP, { from: names[0], to: names[1] });
    return rows.map(({ name, verdict, why, diff }) => [name, verdict, why, diff !== null]);
  };

  it('tell what only one of them has', async () => {
    expect(await compare({ components: [front('web:1')] }, { components: [front('web:1'), back] }, ['v1', 'v12'])).toEqual([
      ['back', 'new', 'only web-v12 has it', false],
      ['front', 'handed-over', 'both have the same; web-v12 takes it over', false],
    ]);
    expect(await compare({ components: [front('web:1'), back] }, { components: [front('web:1')] })).toContainEqual([
      'back',
      'deleted',
      'web-v2 does not have it',
      false,
    ]);
  });

  it('tell beside a workload that a rollout moves the one whose place it takes', async () => {
    const rows = await compare({ components: [front('web:1'), back], ...staged }, { components: [front('web:2'), back], ...staged });
    expect(rows).toContainEqual(['front-v2', 'new', 'it replaces front-v1 stage by stage', true]);
    expect(rows).toContainEqual(['back', 'handed-over', 'both have the same; web-v2 takes it over', false]);
    const first = await compare({ components: [back] }, { components: [front('web:2'), back], ...staged });
    expect(first).toContainEqual(['front-v2', 'new', 'only web-v2 has it', false]);
  });

  it('tell a workload that no rollout moves as new, whatever else a rollout moves', async () => {
    const other = { name: 'other', type: 'webservice', properties: { image: 'other:1' } };
    const objects = [
      anApplication(),
      revisionOf('web-v1', { components: [other, front('web:1')], ...staged }),
      revisionOf('web-v2', { components: [back, front('web:2')], ...staged }),
    ];
    const { commands, session } = await createCommandRig({ objects });
    const { rows } = await commands.compareRevisions(session, SHOP, { from: 'v1', to: 'v2' });
    expect(rows.map(({ name, why, blast }) => [name, why, blast])).toEqual(
      expect.arrayContaining([
        ['back', 'only web-v2 has it', []],
        ['other', 'web-v2 does not have it', []],
      ]),
    );
    const moved = rows.find(({ name }) => name === 'front-v2');
    expect(moved?.diff?.map(({ sign, text }) => sign + text.trim())).toEqual(
      expect.arrayContaining(['-- image: web:1', '+- image: web:2']),
    );
  });

  it('are named by number or in full, and by nothing else', async () => {
    await expect(compare({ components: [back] }, { components: [back] }, ['v1', 'v2x'])).rejects.toThrow(
      'there is no ApplicationRevision v2x in shop',
    );
  });
});
