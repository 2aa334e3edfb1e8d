import { describe, expect, it } from 'vitest';
import type { PathStep } from '@/lib/kube/field-owners';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject, ObjectAddress } from '@/lib/kube/object';
import type { CommandDeps } from '@/server/commands/command-deps';
import { changedFields } from '@/server/commands/objects/edit/changed-paths';
import { describeChange } from '@/server/commands/objects/edit/describe-change';
import { stateOf } from '@/server/commands/objects/edit/editable';
import { configMap } from './rig';

/** What a change is told to come to, of an object that nobody else holds unless told. */
function described(
  before: KubeObject,
  after: KubeObject,
  { written = after, ...more }: { written?: KubeObject; wanted?: object; rollout?: KubeObject } = {},
) {
  const deps = {
    objectReader: { applicationsOf: () => (more.wanted === undefined ? [] : [{ ns: 'default', name: 'Web' }]) },
    desiredOf: () => more.wanted,
    cluster: { get: async (_at: ObjectAddress) => more.rollout },
  } as unknown as CommandDeps;
  return describeChange(deps, { before, written, after });
}

const withData = (data: Record<string, string>, metadata: object = {}): KubeObject => ({ ...configMap('a', metadata), data });
const many = (count: number, value: string) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${String(at).padStart(4, '0')}`, value]));

describe('[issue 14.1] the fields that a change changes', () => {
  const at = (...steps: PathStep[]) => steps;
  it.each<readonly [string, unknown, unknown, readonly (readonly PathStep[])[]]>([
    ['nothing', { a: [{ name: 'x' }] }, { a: [{ name: 'x' }] }, []],
    ['a member that comes, goes and is another', { a: 1, b: 1 }, { b: 2, c: 1 }, [at('a'), at('b'), at('c')]],
    ['a member that was no object', { a: 'x' }, { a: { b: 1 } }, [at('a')]],
    ['an object that is a text now', { a: { b: 1 } }, { a: 'x' }, [at('a')]],
    [
      'an entry by its name, wherever it stands',
      {
        l: [
          { name: 'x', v: 1 },
          { name: 'y', v: 1 },
        ],
      },
      {
        l: [
          { name: 'y', v: 2 },
          { name: 'x', v: 1 },
        ],
      },
      [at('l', { key: 'name', value: 'y' }, 'v')],
    ],
    ['an entry that goes', { l: [{ name: 'x' }, { name: 'y' }] }, { l: [{ name: 'y' }] }, [at('l', { key: 'name', value: 'x' })]],
    [
      'entries by another key where they have no names',
      { l: [{ port: 1, v: 1 }] },
      { l: [{ port: 1, v: 2 }] },
      [at('l', { key: 'port', value: 1 }, 'v')],
    ],
    ['a list with an entry without the key, as one field', { l: [{ name: 'x' }, {}] }, { l: [{ name: 'x' }] }, [at('l')]],
    [
      'a list of which two were of one name',
      {
        l: [
          { name: 'x', v: 1 },
          { name: 'x', v: 2 },
        ],
      },
      { l: [{ name: 'x', v: 1 }] },
      [at('l')],
    ],
    [
      'a list of which two would be of one name',
      { l: [{ name: 'x', v: 1 }] },
      {
        l: [
          { name: 'x', v: 1 },
          { name: 'x', v: 2 },
        ],
      },
      [at('l')],
    ],
    ['a list of texts, as one field', { l: ['a'] }, { l: ['a', 'b'] }, [at('l')]],
    ['a list that was an object', { l: { name: 'x' } }, { l: [{ name: 'x' }] }, [at('l')]],
    ['a list that is an object now', { l: [{ name: 'x' }] }, { l: { name: 'x' } }, [at('l')]],
    ['a list that was none', { l: 'a' }, { l: [{ name: 'x' }] }, [at('l')]],
    ['a list that is none any more', { l: [{ name: 'x' }] }, { l: 'a' }, [at('l')]],
  ])('%s', (_what, before, after, fields) => {
    expect(changedFields(before, after).map(({ steps }) => steps)).toEqual(fields);
  });

  it('are told with what they were and are to be', () => {
    expect(changedFields({ l: [{ name: 'x', v: 1 }] }, { l: [{ name: 'x', v: 2 }] })).toEqual([
      { steps: ['l', { key: 'name', value: 'x' }, 'v'], before: 1, after: 2 },
    ]);
  });
});

describe('[issue 14.1] what a change is told to come to', () => {
  const before = withData({ a: '1' });
  const after = withData({ a: '2' });

  it('tells nothing of a change that the cluster makes nothing of, and names what it ignores', async () => {
    const written = { ...before, status: { phase: 'forged' } };
    const wanted = { repair: { when: 'soon', why: '' } };
    expect(await described(before, before, { written, wanted })).toEqual({
      lines: [],
      fields: [],
      owners: [],
      ignored: ['status'],
      warnings: [],
    });
  });

  it('tells nothing of a Secret that stays as it is', async () => {
    const secret: KubeObject = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a', namespace: 'default' }, data: { key: 'YQ==' } };
    expect(await described(secret, secret)).toEqual({ lines: [], fields: [], owners: [], ignored: [], warnings: [] });
  });

  it('tells at most 100 fields and 2000 lines, and how many more there are', async () => {
    const few = await described(withData(many(100, 'a')), withData(many(100, 'b')));
    expect([few.fields.length, few.lines.some(({ text }) => text.includes('more lines differ'))]).toEqual([100, false]);
    const owned = (data: Record<string, string>) =>
      withData(data, {
        managedFields: [
          {
            manager: 'first',
            operation: 'Update',
            apiVersion: 'v1',
            fieldsType: 'FieldsV1',
            fieldsV1: { 'f:data': Object.fromEntries(Object.keys(data).map((name) => [`f:${name}`, {}])) },
          },
        ],
      });
    const [old, fresh] = [many(1500, 'a'), many(1500, 'b')];
    const { lines, fields, owners, ignored } = await described(owned(old), withData(fresh), {
      written: withData({ ...fresh, ...many(0, '') }),
    });
    expect([fields.length, owners.map((owner) => owner.fields.length), ignored]).toEqual([100, [100], []]);
    expect([lines.length, lines.at(-1)]).toEqual([2001, { sign: '…', text: '1006 more lines differ' }]);
    const dropped = await described(withData({}), withData({ only: 'this' }), { written: withData(many(150, 'a')) });
    expect(dropped.ignored.length).toBe(100);
  });

  it('tells all of exactly 2000 lines', async () => {
    // Around 997 lines that go and as many that come it shows six that stay.
    const { lines } = await described(withData(many(997, 'a')), withData(many(997, 'b')));
    expect(lines.length).toBe(2000);
    expect(lines.at(-1)?.text).not.toContain('more lines differ');
  });

  it.each<readonly [string, object, string]>([
    [
      'reverts it at once',
      { repair: { when: 'soon', why: '' } },
      'Application Web applies it: its engine reverts the fields that it sets within seconds.',
    ],
    [
      'reverts it later',
      { repair: { when: 'later', why: 'its window is closed' } },
      'Application Web applies it, and its engine reverts it later: its window is closed',
    ],
    [
      'leaves it',
      { repair: { when: 'never', why: 'it observes' } },
      'Application Web applies it, and leaves what others change: it observes',
    ],
    ['does not list it', { uncompared: 'not listed' }, 'It is part of application web, which does not list it itself.'],
  ])('says that an application %s', async (_what, wanted, sentence) => {
    expect((await described(before, after, { wanted })).warnings).toEqual([sentence]);
  });

  it('names the controller and the Helm release that may revert it', async () => {
    const held = withData(
      { a: '1' },
      {
        annotations: { 'meta.helm.sh/release-name': 'shop' },
        ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'above', uid: 'u', controller: true }],
      },
    );
    expect((await described(held, { ...held, data: { a: '2' } })).warnings).toEqual([
      'ReplicaSet above controls it and may revert the change.',
      'Helm release shop installed it: its next upgrade may revert the change.',
    ]);
  });

  it('names the rollout that moves its pods and replicas', async () => {
    const workload = (replicas: number): KubeObject => ({
      ...KINDS.deployment,
      metadata: { name: 'rolled-v2', namespace: 'default', labels: { 'serving.knative.dev/service': 'rolled' } },
      spec: { replicas },
    });
    const rollout = { ...KINDS.rolloutOrchestrator, metadata: { name: 'rolled', namespace: 'default' } };
    expect((await described(workload(1), workload(2), { rollout })).warnings).toEqual([
      'Rollout rolled moves its pods and replicas, and overwrites changes to these.',
    ]);
  });
});

describe('[design 14] the state that an edit is written on', () => {
  const secret = (resourceVersion: string | undefined, value: string): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'a', namespace: 'default', ...(resourceVersion === undefined ? {} : { resourceVersion }) },
    data: { key: value },
  });

  it('is the version of a Secret, and says nothing of its values', () => {
    expect([
      stateOf(secret('7', 'YQ==')),
      stateOf(secret('7', 'Yg==')),
      stateOf(secret('8', 'YQ==')),
      stateOf(secret(undefined, 'YQ==')),
    ]).toEqual(['version:7', 'version:7', 'version:8', 'version:']);
  });

  it('is what people write in anything else, whatever its version and status', () => {
    const state = stateOf(withData({ a: '1' }, { resourceVersion: '7' }));
    expect(state).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(stateOf({ ...withData({ a: '1' }, { resourceVersion: '8' }), status: { phase: 'moved' } })).toBe(state);
    expect(stateOf(withData({ a: '2' }, { resourceVersion: '7' }))).not.toBe(state);
  });
});
