import { describe, expect, it } from 'vitest';
import type { PathStep } from '@/lib/kube/field-owners';
import type { KubeObject } from '@/lib/kube/object';
import { toAddress } from '@/lib/kube/object';
import { createLineFinder, ownersOfLines } from '@/server/commands/drift-lines';
import { rolloutScaling } from '@/server/commands/drift-replacement';
import type { Cluster } from '@/server/kube';
import { KubeApiError } from '@/server/kube';
import { AT, compared, deployment, liveOf, open } from './drift-bench';
import { SHOP } from './rig';

const TEXT = `kind: A
spec:
  list:
    - name: x
      v: 1
    - name: y
      v: 2
  plain:
    - a
    - b
  empty:
`;

describe('[dispatch 13] where a field stands in a text', () => {
  const steps = (...path: PathStep[]) => path;
  it.each<readonly [string, readonly PathStep[], number | null]>([
    ['a member', steps('spec'), 2],
    ['a member of one', steps('spec', 'empty'), 11],
    ['an entry by its place', steps('spec', 'list', 1), 6],
    ['a member of an entry by its place', steps('spec', 'list', 1, 'v'), 7],
    ['an entry by its key', steps('spec', 'list', { key: 'name', value: 'y' }), 6],
    ['a member of an entry by its key', steps('spec', 'list', { key: 'name', value: 'y' }, 'v'), 7],
    ['a plain value', steps('spec', 'plain', { item: 'b' }), 10],
    ['a plain value that is not there', steps('spec', 'plain', { item: 'c' }), null],
    ['a plain value among maps', steps('spec', 'list', { item: 'x' }), null],
    ['an entry of another key', steps('spec', 'list', { key: 'name', value: 'z' }), null],
    ['an entry by key among plain values', steps('spec', 'plain', { key: 'name', value: 'a' }), null],
    ['an entry of what is no list', steps('spec', { key: 'name', value: 'x' }), null],
    ['a place beyond the last', steps('spec', 'list', 2), null],
    ['a member of a plain value', steps('kind', 'a'), null],
    ['a member of nothing', steps('spec', 'empty', 'a'), null],
    ['nothing at all', steps(), null],
  ])('%s', (_what, path, line) => {
    expect(createLineFinder(TEXT)(path)).toBe(line);
  });

  it('is nowhere in no text', () => {
    expect(createLineFinder('')(['spec'])).toBeNull();
  });

  it('is told with who set it last, as far as it stands in the text', () => {
    const entry = (manager: string, time: string | undefined, fieldsV1: object, more: object = {}) => ({
      ...{ manager, operation: 'Update', fieldsType: 'FieldsV1', fieldsV1, ...more },
      ...(time === undefined ? {} : { time }),
    });
    const live: KubeObject = {
      ...deployment,
      metadata: {
        ...deployment.metadata,
        managedFields: [
          entry('first', undefined, { 'f:kind': {}, 'f:gone': {} }),
          entry('last', '2026-01-01T08:00:00Z', { 'f:kind': {} }, { subresource: 'scale' }),
        ],
      },
    };
    const { owners, lineOwners } = ownersOfLines(live, 3, createLineFinder('kind: A\nspec: 1\n'));
    expect(owners).toStrictEqual([
      { manager: 'last', operation: 'Update', subresource: 'scale', since: '2026-01-01T08:00:00Z' },
      { manager: 'first', operation: 'Update', subresource: null, since: null },
    ]);
    expect([lineOwners, Object.keys(lineOwners)]).toStrictEqual([
      [0, null, null],
      ['0', '1', '2'],
    ]);
    expect(ownersOfLines(deployment, 1, () => 1)).toStrictEqual({ owners: [], lineOwners: [null] });
  });
});

describe('[dispatch 13] the fields that differ', () => {
  const settings = (data: object, metadata: object = {}): KubeObject => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'web', namespace: 'shop', ...metadata },
    data,
  });
  const read = async (wanted: object, found: object, metadata: object = {}) => {
    const manifest = settings(wanted);
    const live = await liveOf(manifest, (held) => ({ ...held, data: found, metadata: { ...held.metadata, ...metadata } }));
    const { commands, session } = await open({ manifest, live });
    return compared(await commands.readDrift(session, SHOP, toAddress(manifest)));
  };

  it('are told as they are, in 2000 characters at most', async () => {
    const [most, more] = ['x'.repeat(2000), 'y'.repeat(2001)];
    const { fields } = await read({ a: 'wanted', b: most, gone: 'here' }, { a: '5', b: more, c: 'added' });
    expect(fields.map(({ path, kind, desired, live }) => [path, kind, desired, live])).toEqual(
      expect.arrayContaining([
        ['data.a', 'changed', 'wanted', '5'],
        ['data.b', 'changed', most, `${'y'.repeat(2000)}…`],
        ['data.gone', 'removed', 'here', null],
      ]),
    );
  });

  it('stand on a line of the text that has them, and on none of the other', async () => {
    const manifest: KubeObject = { ...deployment, spec: { ...(deployment.spec as object), paused: true } };
    const live = await liveOf(manifest, (held) => ({ ...held, spec: { ...(deployment.spec as object) } }));
    const { commands, session } = await open({ manifest, live });
    const { fields, live: text, desired } = compared(await commands.readDrift(session, SHOP, AT));
    const gone = fields.find(({ path }) => path === 'spec.paused');
    expect([gone?.kind, gone?.liveLine, desired.split('\n')[(gone?.desiredLine ?? 0) - 1]?.trim()]).toEqual([
      'removed',
      null,
      'paused: true',
    ]);
    expect(text).not.toContain('paused');
  });

  it('are of an object that may be going, held by nobody, and none of one that is gone', async () => {
    const going = await read({ a: '1' }, { a: '2' }, { deletionTimestamp: '2026-01-01T08:00:00Z' });
    const held = await read({ a: '1' }, { a: '2' }, { deletionTimestamp: '2026-01-01T08:00:00Z', finalizers: ['example.com/keep'] });
    expect(going.terminating).not.toContain('Stryker');
    expect([going.terminating === null, held.terminating]).toEqual([false, expect.stringContaining('example.com/keep')]);
    const { commands, session } = await open({ manifest: settings({ a: '1' }), live: undefined });
    const gone = compared(await commands.readDrift(session, SHOP, toAddress(settings({}))));
    expect(gone).toMatchObject({ exists: false, terminating: null, live: null, owners: [], lineOwners: [], replacement: null });
  });
});

describe('[issue 9.4] the rollout that moves an object', () => {
  const labelled = (labels: Record<string, string>): KubeObject => ({ ...deployment, metadata: { ...deployment.metadata, labels } });
  const over = (answer: () => Promise<unknown>) => {
    const asked: object[] = [];
    const get = (at: object) => {
      asked.push(at);
      return answer();
    };
    return { cluster: { get } as unknown as Cluster, asked };
  };

  it('is that of its label, where there is such a rollout, and is looked for nowhere else', async () => {
    const there = over(async () => ({}));
    expect(await rolloutScaling(there.cluster, labelled({ 'serving.knative.dev/service': 'web' }))).toBe('web');
    expect(there.asked).toMatchObject([{ kind: 'RolloutOrchestrator', namespace: 'shop', name: 'web' }]);
    const gone = over(() => Promise.reject(new KubeApiError({ code: 404, reason: 'NotFound', message: 'not found' })));
    expect(await rolloutScaling(gone.cluster, labelled({ 'serving.knative.dev/service': 'web' }))).toBeUndefined();
    const unasked = over(() => Promise.reject(new Error('nobody is asked')));
    expect([await rolloutScaling(unasked.cluster, labelled({})), unasked.asked]).toEqual([undefined, []]);
  });
});
