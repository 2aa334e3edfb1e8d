import { describe, expect, it } from 'vitest';
import { readField } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import { MASK } from '@/lib/kube/mask';
import type { KubeObject } from '@/lib/kube/object';
import type { Draft } from '@/server/application';
import type { CommandDeps } from '@/server/commands/command-deps';
import { draftOf, dryRunSecrets, writeValues } from '@/server/commands/editor/draft';
import { HIDDEN_HINT, refuseMisplacedMasks, withKeptValues } from '@/server/commands/editor/kept-values';
import { parseApplicationText } from '@/server/commands/editor/parse-application-text';
import { toApplicationText } from '@/server/commands/read-application-text';
import { ANN, refusalOf } from './objects/rig';
import { CANARY } from './rig';

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
const secret = (name: string, members: object, metadata: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, ...metadata },
  ...members,
});
const application = (components: readonly unknown[], metadata: object = {}): KubeObject => ({
  ...KINDS.application,
  metadata: { name: 'web', namespace: 'shop', ...metadata },
  spec: { components },
});
const withObjects = (...objects: readonly unknown[]) => application([{ name: 'all', type: 'k8s-objects', properties: { objects } }]);
const withEnv = (...env: readonly unknown[]) => application([{ name: 'front', type: 'webservice', properties: { image: 'web:1', env } }]);
const token = (more: object) => ({ name: 'TOKEN', sensitive: true, ...more });
const objectsOf = (of: KubeObject) => readField(of, 'spec', 'components', 0, 'properties', 'objects');

describe('[design 8] what a Secret hides under a name that no Secret has', () => {
  const stray = (password: string, metadata: object = {}) => secret('key', { dta: { password } }, metadata);
  const held = withObjects(stray(CANARY), secret('other', { data: { a: 'YQ==' } }), { kind: 'ConfigMap', count: 3, none: null });
  const shown = withObjects(stray(MASK), secret('other', { data: { a: 'YQ==' } }), { kind: 'ConfigMap', count: 3, none: null });

  it('stays as it is stored where its mask stays, and everything beside it too', () => {
    expect(withKeptValues(shown, held)).toEqual(held);
    expect(toApplicationText(held)).toMatchObject({ masked: false, text: expect.not.stringContaining(CANARY) });
  });

  it.each<readonly [string, KubeObject, KubeObject | undefined]>([
    ['no application', shown, undefined],
    ['no Secret of the name', shown, withObjects(secret('another', { dta: { password: CANARY } }))],
    ['two Secrets of the name', shown, withObjects(stray(CANARY), stray('another'))],
    ['none of the namespace', withObjects(stray(MASK, { namespace: 'mine' })), held],
    ['no value at the place', withObjects(secret('key', { dta: { constructor: MASK } })), held],
    ['a mask itself', shown, shown],
    ['a component of another type', shown, application([{ name: 'all', type: 'other', properties: { objects: [stray(CANARY)] } }, null])],
  ])('is kept of nothing where there is %s', (_what, written, stored) => {
    expect(() => withKeptValues(written, stored)).toThrow('has no such value there; write the value');
  });

  it('is that of the Secret of its namespace, which is that of the application unless it says so', () => {
    const two = (here: string, there: string) => withObjects(stray(here), stray(there, { namespace: 'mine' }));
    expect(withKeptValues(two(MASK, MASK), two(CANARY, 'another'))).toEqual(two(CANARY, 'another'));
    const named = withObjects(stray(MASK, { namespace: 'shop' }));
    expect(objectsOf(withKeptValues(named, held))).toEqual([stray(CANARY, { namespace: 'shop' })]);
  });
});

describe('[design 8] masks in a text that is being written', () => {
  it.each<readonly [string, KubeObject]>([
    ['as a value of a Secret', withObjects(secret('key', { stringData: { a: MASK } }))],
    ['as what stands under another member of one', withObjects(secret('key', { dta: { a: MASK } }))],
    ['as a sensitive variable', withEnv(token({ value: MASK }))],
    ['as the credentials of an address', withEnv({ name: 'AT', value: `https://${MASK}@example.com` })],
    ['as a text that holds a Secret', withObjects({ kind: 'ConfigMap', data: { file: MASK } })],
    ['nowhere', withEnv({ name: 'A', value: 'b' })],
  ])('may stand %s', (_where, written) => {
    expect(() => refuseMisplacedMasks(written)).not.toThrow();
  });

  it.each<readonly [string, KubeObject]>([
    ['in part of a value of a Secret', withObjects(secret('key', { stringData: { a: `x${MASK}` } }))],
    ['in part of a sensitive variable', withEnv(token({ value: `x${MASK}` }))],
    ['in part of another text', withEnv({ name: 'A', value: `x${MASK}` })],
    ['in an annotation', application([], { annotations: { a: `x${MASK}` } })],
  ])('are refused at once %s', (_where, written) => {
    expect(() => refuseMisplacedMasks(written)).toThrow('one keeps its value only where it was shown, as a whole');
    expect(() => parseApplicationText(JSON.stringify(written))).toThrow('one keeps its value only where it was shown, as a whole');
  });
});

describe('[design 8] the text of an application', () => {
  it('has its labels and annotations, without copies of manifests and what is ours', () => {
    const annotations = {
      own: 'stays',
      [LAST_APPLIED]: '{}',
      packed: 'H4sIAAAA',
      told: '{"kind":"Secret","data":{"a":"b"}}',
      'slipway.dev/suspended': 'true',
    };
    const { text, masked } = toApplicationText(
      application([], { labels: { team: 'a' }, annotations, uid: 'u', generation: 4, managedFields: [] }),
    );
    expect([text, masked]).toEqual([
      `apiVersion: ${KINDS.application.apiVersion}\nkind: Application\nmetadata:\n  name: web\n  namespace: shop\n  labels:\n    team: a\n  annotations:\n    own: stays\nspec:\n  components: []\n`,
      false,
    ]);
    const bare = toApplicationText(application([], { annotations: { [LAST_APPLIED]: '{}' } })).text;
    expect(bare).not.toMatch(/annotations|labels/);
  });

  it.each<readonly [string, object, string]>([
    ['a value', { value: CANARY }, MASK],
    ['what refers to a value that was moved', { valueFrom: { secretKeyRef: { name: 'web-values-1', key: 'a' } } }, MASK],
    ['a value and what refers to one', { value: CANARY, valueFrom: { secretKeyRef: { name: 'mine', key: 'a' } } }, MASK],
    ['nothing', {}, ''],
    ['what somebody refers to by themselves', { valueFrom: { secretKeyRef: { name: 'mine', key: 'a' } } }, 'name: mine'],
  ])('hides of a sensitive variable %s', (_what, more, told) => {
    const { text, masked } = toApplicationText(withEnv(token(more)));
    expect([text.includes(CANARY), text.includes('web-values-1'), text.includes(MASK), masked]).toEqual([
      false,
      false,
      told === MASK,
      false,
    ]);
    expect([text.startsWith(HIDDEN_HINT), text.includes(told)]).toEqual([told === MASK, true]);
  });
});

describe('[issue 10.1] the values that somebody writes into an application', () => {
  const extracted: KubeObject[] = [];
  const planner = {
    extractValues: (next: KubeObject) => {
      extracted.push(next);
      return { object: next, secrets: [secret('web-values-1', {})] };
    },
  };
  const deps = { planner } as unknown as CommandDeps;

  it('move into a Secret, and with them goes every copy of the manifest on it and in it', async () => {
    const annotated = (more: object) => ({ annotations: { own: 'stays', ...more } });
    const written = (more: object) => ({
      ...withObjects(secret('key', { stringData: { a: CANARY } }, annotated(more)), {
        kind: 'List',
        items: [{ metadata: annotated(more) }, 1],
      }),
      metadata: { name: 'web', namespace: 'shop', ...annotated(more) },
    });
    await draftOf(deps, written({ [LAST_APPLIED]: CANARY }), undefined);
    expect(extracted.at(-1)).toEqual(written({}));
    const bare = withObjects(secret('key', { stringData: { a: CANARY } }));
    await draftOf(deps, bare, undefined);
    expect(extracted.at(-1)).toStrictEqual(bare);
  });

  it('stay where they stand while nobody writes another one, and are all moved once somebody does', async () => {
    const both = (a: string, b: string) => withObjects(secret('key', { stringData: { a, b } }));
    const same = both(CANARY, 'b');
    expect(await draftOf(deps, same, both(CANARY, 'b'))).toEqual({ object: same, secrets: [] });
    for (const next of [both(CANARY, 'c'), both('b', 'b'), both('b', CANARY)])
      expect((await draftOf(deps, next, both(CANARY, 'b'))).secrets).toHaveLength(1);
  });

  describe('into their Secret', () => {
    const values = {
      ...secret('web-values-1', { data: { a: 'YQ==', b: 'Yg==' }, type: 'slipway.dev/values', immutable: true }),
      metadata: { name: 'web-values-1', namespace: 'shop' },
    };
    const draft: Draft = { object: withObjects(), secrets: [values as unknown as KubeObject] };
    const open = (stored?: object) => {
      const recorded: object[] = [];
      const sent: object[] = [];
      const person = {
        create: async (_object: KubeObject, options: object) => {
          sent.push(options);
          if (stored !== undefined) throw refusalOf(409, 'AlreadyExists');
        },
      };
      const all = {
        auth: { authorise: async () => ({ visibility: 'all' }) },
        ids: { uuid: () => 'act' },
        clock: { now: () => 0 },
        record: async (entry: object) => void recorded.push(entry),
        cluster: { as: () => person, get: async () => stored },
      } as unknown as CommandDeps;
      return { all, recorded, sent };
    };

    it('are tried first, then written, each Secret on record with how many values it takes', async () => {
      const { all, recorded, sent } = open();
      await dryRunSecrets(all, { ...ANN, user: 'ann' }, draft);
      expect([recorded, sent]).toEqual([[], [{ fieldManager: 'slipway.dev/console', fieldValidation: 'Strict', dryRun: true }]]);
      await writeValues(all, { ...ANN, user: 'ann' }, draft);
      expect(recorded).toEqual([
        {
          ...{ id: 'act', at: 0, actor: 'ann', action: 'application.values' },
          about: { apiVersion: 'v1', kind: 'Secret', name: 'web-values-1', namespace: 'shop' },
          message: 'puts 2 values of Application web in shop into a Secret',
        },
      ]);
    });

    it('may be there already, as they are, and in no other way', async () => {
      for (const write of [dryRunSecrets, writeValues]) {
        await expect(write(open(values).all, ANN, draft)).resolves.toBeUndefined();
        await expect(write(open({ ...values, data: { a: 'other' } }).all, ANN, draft)).rejects.toThrow('already exists with other content');
      }
    });
  });
});
