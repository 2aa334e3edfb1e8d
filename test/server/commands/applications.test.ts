import { describe, expect, it } from 'vitest';
import { parseAllDocuments, stringify } from 'yaml';
import { messageOf } from '@/lib/contract/app-error';
import type { ChangeRequest } from '@/lib/contract/requests';
import { readList } from '@/lib/kube/fields';
import { MASK } from '@/lib/kube/mask';
import { checkApplicationText } from '@/server/commands/editor/check-application-text';
import { parseManifest } from '@/server/commands/manifest-text';
import { KubeApiError } from '@/server/kube';
import { anApplication, aRollout, aSecret, CANARY, createCommandRig, SHOP } from './rig';

const change = (over: Partial<ChangeRequest>): ChangeRequest => ({ component: 'front', uid: 'app-uid', generation: 2, ...over });

describe('changing a component', () => {
  it('[design 3] sets image and replicas as the person, on record before it is done', async () => {
    const { commands, session, cluster, recorded } = await createCommandRig();
    await commands.changeComponent(session, SHOP, change({ image: 'web:2', replicas: 5 }));
    const [tried, done] = cluster.writes;
    expect([tried?.dryRun, done?.dryRun]).toEqual([true, false]);
    expect(done).toMatchObject({
      verb: 'update',
      person: { user: 'operator' },
      object: { metadata: { resourceVersion: '7', annotations: { 'slipway.dev/requested-by': 'operator' } } },
    });
    expect(readList(done?.object, 'spec', 'components')[0]).toEqual({
      name: 'front',
      type: 'webservice',
      properties: { image: 'web:2' },
      traits: [{ type: 'scaler', properties: { replicas: 5 } }],
    });
    expect(recorded).toMatchObject([
      { actor: 'operator', action: 'application.change', message: 'front: image from web:1 to web:2, replicas from 3 to 5' },
    ]);
  });

  it('[design 5] that the cluster refuses leaves no trace; one that fails after all has a second entry', async () => {
    let refusals = 0;
    const refuse = () => (refusals++ === 0 ? new KubeApiError({ code: 422, reason: 'Invalid', message: 'bad' }) : undefined);
    const first = await createCommandRig({ refuse });
    await expect(first.commands.changeComponent(first.session, SHOP, change({ image: 'web:2' }))).rejects.toThrow('bad');
    expect(first.recorded).toEqual([]);

    let writes = 0;
    const second = await createCommandRig({
      refuse: () => (writes++ === 1 ? new KubeApiError({ code: 422, reason: 'Invalid', message: 'bad after all' }) : undefined),
    });
    await expect(second.commands.changeComponent(second.session, SHOP, change({ image: 'web:2' }))).rejects.toThrow('bad after all');
    expect(second.recorded.map(({ action }) => action)).toEqual(['application.change', 'application.change.failed']);
  });

  it('[design 3] does not mind that an engine writes status meanwhile: it reads again while the spec is the one that was seen', async () => {
    const conflict = new KubeApiError({ code: 409, reason: 'Conflict', message: 'modified' });
    let writes = 0;
    const busy = await createCommandRig({ refuse: () => (writes++ < 3 ? conflict : undefined) });
    await busy.commands.changeComponent(busy.session, SHOP, change({ image: 'web:2' }));
    expect(busy.recorded).toMatchObject([{ action: 'application.change' }]);
    const never = await createCommandRig({ refuse: () => conflict });
    await expect(never.commands.changeComponent(never.session, SHOP, change({ image: 'web:2' }))).rejects.toThrow('modified');
    expect(never.recorded).toEqual([]);
  });

  it.each([
    ['an older spec', change({ image: 'web:2', generation: 1 }), 'conflict', 'was changed by someone else since you opened it'],
    [
      'another application of the name',
      change({ image: 'web:2', uid: 'earlier-uid' }),
      'conflict',
      'was changed by someone else since you opened it',
    ],
    ['a component that is not there', change({ component: 'back', image: 'web:2' }), 'not-found', 'it has front, settings'],
    ['plain objects', change({ component: 'settings', image: 'web:2' }), 'invalid', 'of type k8s-objects, which has no image'],
    ['the scale of plain objects', change({ component: 'settings', replicas: 2 }), 'invalid', 'of type k8s-objects, which has no replicas'],
    ['nothing', change({}), 'invalid', 'found neither'],
    ['what is so already', change({ image: 'web:1', replicas: 3 }), 'rejected', 'already has these values'],
  ])('[design 3] is refused for %s', async (_what, request, code, sentence) => {
    const { commands, session, cluster } = await createCommandRig();
    await expect(commands.changeComponent(session, SHOP, request)).rejects.toMatchObject({
      code,
      message: expect.stringContaining(sentence),
    });
    expect(cluster.writes).toEqual([]);
  });

  it('[issue 9.4] is refused for one that is being deleted, and not as changed by whoever deletes it', async () => {
    const application = anApplication();
    const going = { ...application, metadata: { ...application.metadata, deletionTimestamp: '2026-01-01T09:00:00Z' } };
    const { commands, session, cluster } = await createCommandRig({ objects: [going] });
    await expect(commands.changeComponent(session, SHOP, change({ image: 'web:2', generation: 1 }))).rejects.toMatchObject({
      code: 'conflict',
      message: 'Application web in shop has been terminating since 2026-01-01T09:00:00Z and can no longer be changed',
    });
    expect(cluster.writes).toEqual([]);
  });

  it('[design 3] leaves to an hpa what it scales, and gives a scaler to a component without one', async () => {
    const withTraits = (traits: unknown) => ({
      ...anApplication(),
      spec: { components: [{ name: 'front', type: 'webservice', properties: { image: 'web:1' }, traits }] },
    });
    const scaled = await createCommandRig({ objects: [withTraits([{ type: 'hpa', properties: { min: 1, max: 3 } }])] });
    await expect(scaled.commands.changeComponent(scaled.session, SHOP, change({ replicas: 5 }))).rejects.toThrow('scaled by its hpa trait');
    const bare = await createCommandRig({ objects: [withTraits(undefined)] });
    await bare.commands.changeComponent(bare.session, SHOP, change({ replicas: 5 }));
    expect(readList(bare.cluster.writes[1]?.object, 'spec', 'components')[0]).toMatchObject({
      traits: [{ type: 'scaler', properties: { replicas: 5 } }],
    });
  });
});

describe('applying a whole application', () => {
  const written = (over: object = {}) => {
    const { spec } = anApplication();
    return stringify({
      apiVersion: 'core.oam.dev/v1beta1',
      kind: 'Application',
      metadata: { name: 'web', namespace: 'shop' },
      spec,
      ...over,
    });
  };

  it('[design 2] creates one that is not there and replaces the spec of one that is', async () => {
    const created = await createCommandRig({ objects: [] });
    await created.commands.applyApplication(created.session, { manifest: written() });
    expect(JSON.stringify(created.cluster.writes.filter(({ object }) => object?.kind !== 'Secret'))).not.toContain(CANARY);
    const ofApplication = created.cluster.writes.filter(({ object }) => object?.kind === 'Application');
    expect(ofApplication.map(({ verb, dryRun }) => [verb, dryRun])).toEqual([
      ['create', true],
      ['create', false],
    ]);
    const replaced = await createCommandRig();
    const components = [{ name: 'front', type: 'webservice', properties: { image: 'web:9' } }];
    await replaced.commands.applyApplication(replaced.session, { manifest: written({ spec: { components } }) });
    expect(replaced.cluster.writes[1]).toMatchObject({
      verb: 'update',
      object: { metadata: { uid: 'app-uid', resourceVersion: '7' }, spec: { components } },
    });
    expect(replaced.recorded).toMatchObject([{ action: 'application.replace' }]);
  });

  it('[design 1] tells on a dry run what would change, object by object, and changes nothing', async () => {
    const { commands, session, cluster, recorded } = await createCommandRig({ objects: [anApplication()] });
    const answer = await commands.applyApplication(session, { manifest: written(), dryRun: true });
    expect(answer).toMatchObject({
      revision: { name: 'web-v1', isNew: true },
      counts: { new: 2 },
      changes: [
        { id: 'Deployment.apps/shop/front', verdict: 'new', why: 'revision web-v1 makes it' },
        { id: 'Secret/shop/key', verdict: 'new', why: 'revision web-v1 makes it' },
      ],
    });
    expect(cluster.writes.every(({ dryRun }) => dryRun)).toBe(true);
    expect(recorded).toEqual([]);
  });

  it.each([
    ['another kind', written({ kind: 'Deployment', apiVersion: 'apps/v1' }), 'must be an Application of core.oam.dev/v1beta1'],
    ['an unknown component type', written({ spec: { components: [{ name: 'x', type: 'magic' }] } }), 'found "magic"'],
    ['no namespace', written({ metadata: { name: 'web' } }), 'metadata needs a name and a namespace'],
    [
      'a workload without image',
      written({ spec: { components: [{ name: 'x', type: 'webservice', properties: {} }] } }),
      'image must be a string, found nothing',
    ],
    [
      'negative replicas',
      written({
        spec: {
          components: [
            { name: 'x', type: 'webservice', properties: { image: 'x' }, traits: [{ type: 'scaler', properties: { replicas: -1 } }] },
          ],
        },
      }),
      'replicas must be at least 0, found -1',
    ],
    ['masked values', written().replaceAll(CANARY, MASK), 'contains masked values'],
    ['two documents', `${written()}---\n${written()}`, 'found 2 documents'],
    ['nothing', '', 'found nothing'],
    ['no YAML', 'a: [', 'is not valid YAML'],
  ])('[design 3] refuses %s with a sentence', async (_what, manifest, sentence) => {
    const { commands, session, cluster } = await createCommandRig();
    await expect(commands.applyApplication(session, { manifest })).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringContaining(sentence),
    });
    expect(cluster.writes).toEqual([]);
  });
});

describe('a value that is no YAML as it was written', () => {
  const saying = (value: string) =>
    `apiVersion: core.oam.dev/v1beta1\nkind: Application\nmetadata: { name: web }\nspec:\n  components:\n    - name: set\n      type: k8s-objects\n      properties:\n        objects:\n          - kind: Secret\n            apiVersion: v1\n            metadata: { name: key }\n            stringData:\n              password: ${value}\n`;
  it.each(['*', '|', '>', '!', '!a!', '!!int ', '"', "'", '@', '%', '{', '[', '&a &b ', '? ', ']', '}', '"\\q'])(
    '[design 8] is in no sentence: %s',
    (sign) => {
      const text = saying(`${sign}${CANARY}`);
      const thrown = (() => {
        try {
          return parseManifest(text);
        } catch (error) {
          return messageOf(error);
        }
      })();
      const told = checkApplicationText(text).map(({ sentence }) => sentence);
      expect([typeof thrown === 'string' ? thrown : '', ...told].filter((sentence) => sentence.includes(CANARY))).toEqual([]);
    },
  );

  it('[design 8] is told by its place', () => {
    const text = saying(`!a!${CANARY}`);
    expect(() => parseManifest(text)).toThrow(/^the manifest is not valid YAML: Could not resolve tag at line \d+, column \d+$/);
    expect(checkApplicationText(text)).toMatchObject([{ sentence: 'The text is not valid YAML: Could not resolve tag' }]);
    expect(() => parseManifest(`a: *${CANARY}`)).toThrow(/^the manifest has an alias that cannot be followed: Unresolved alias/);
  });
});

describe('a manifest from outside', () => {
  const bomb = `a: &a [x,x,x,x,x,x,x,x,x]\n${[...'bcdefghi'].map((name, at) => `${name}: &${name} [${Array.from({ length: 9 }, () => `*${'abcdefghi'[at]}`).join(',')}]`).join('\n')}`;
  const HOSTILE = {
    'a bomb of aliases': bomb,
    'flow nesting without end': '['.repeat(20_000),
    'map nesting without end': '{a: '.repeat(20_000),
    'block nesting without end': Array.from({ length: 900 }, (_, at) => `${' '.repeat(at)}a:`).join('\n'),
    'sequences on one line': `${'- '.repeat(20_000)}a`,
    'keys on one line': `${'? '.repeat(20_000)}a`,
    'a key __proto__': 'apiVersion: v1\nkind: X\nmetadata: {name: x}\n__proto__: {polluted: true}',
    '__proto__ in JSON': '{"apiVersion":"v1","kind":"X","metadata":{"name":"x","__proto__":{"polluted":true}}}',
    'a collection for a key': '? [a]\n: b',
    'a number': '42',
    'sequences and keys in turn': `x: \n  ${'- ? '.repeat(20_000)}`,
    'nesting behind quoted brackets': '["]",'.repeat(20_000),
    'a key twice': 'apiVersion: v1\nkind: X\nmetadata: {name: x}\na: {b: 1, b: 2}',
  };
  const hostile = (what: string) => Object.entries(HOSTILE).find(([name]) => name === what)?.[1] ?? '';

  it.each(Object.keys(HOSTILE))('[design 8] with %s is refused', (what) => {
    expect(() => parseManifest(hostile(what))).toThrow(/the manifest/);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  // The parser calls itself for each level, so what nests without end must not come to it.
  it.each([
    'flow nesting without end',
    'map nesting without end',
    'block nesting without end',
    'sequences on one line',
    'keys on one line',
  ])('[design 8] with %s is refused before the parser sees it', (what) => {
    let seen = 0;
    const parse: typeof parseAllDocuments = (...given) => {
      seen++;
      return parseAllDocuments(...given);
    };
    expect(() => parseManifest(hostile(what), undefined, parse)).toThrow('nested deeper than 100 levels');
    expect(seen).toBe(0);
  });

  it('[design 8] with very many keys has no key compared with those before it, and one that is there twice is found anyway', () => {
    let comparisons = 0;
    const counting: typeof parseAllDocuments = (text, options) => {
      const unless = options?.uniqueKeys ?? true;
      const uniqueKeys = unless === false ? false : () => ++comparisons < 0;
      return parseAllDocuments(text, { ...options, uniqueKeys });
    };
    const keys = Array.from({ length: 2000 }, (_, at) => `k${at}: 1`).join('\n');
    const text = `apiVersion: v1\nkind: X\nmetadata: {name: x}\n${keys}`;
    expect(Object.keys(parseManifest(text, undefined, counting))).toHaveLength(2003);
    expect(() => parseManifest(`${text}\nk7: 2`, undefined, counting)).toThrow('found "k7" twice');
    expect(comparisons).toBe(0);
  });

  it.each([
    ['a sign that belongs nowhere', '}', 'at line 1, column 1'],
    ['a directive', '%X y\n', 'more than 10 directives at line 11'],
    ['a document', 'a: 1\n---\n', 'found 2 documents'],
  ])('[design 8] with %s over and over is left at the first that is too much', (_what, piece, sentence) => {
    expect(() => parseManifest(piece.repeat(140_000))).toThrow(sentence);
  });

  it('[design 8] may use aliases like people do', () => {
    const text = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\ndata: {a: &v one, b: *v}';
    expect(parseManifest(text)).toMatchObject({ data: { a: 'one', b: 'one' } });
  });
});

describe('reading an object', () => {
  const event = {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: 'e', namespace: 'shop' },
    involvedObject: { uid: 'secret-uid' },
    type: 'Warning',
    reason: 'Lost',
    message: 'gone',
    count: 3,
    lastTimestamp: '2026-01-01T09:00:00Z',
  };

  it('[design 8] never shows a Secret, wherever it stands in the object', async () => {
    const secret = { ...aSecret(), metadata: { ...aSecret().metadata, uid: 'secret-uid', managedFields: [{}] } };
    const application = anApplication({ annotations: { 'kubectl.kubernetes.io/last-applied-configuration': CANARY } });
    const { commands, session } = await createCommandRig({ objects: [secret, application, aRollout(), event] });
    const read = await commands.readObject(session, { apiVersion: 'v1', kind: 'Secret', namespace: 'shop', name: 'key' });
    expect(read.masked).toBe(true);
    expect(read.manifest).toContain(`key: ${MASK}`);
    expect(read.events).toMatchObject([{ at: '2026-01-01T09:00:00Z', type: 'Warning', reason: 'Lost', message: 'gone', count: 3 }]);
    const manifest = await commands.readManifest(session, SHOP);
    expect(manifest.masked).toBe(true);
    expect(JSON.stringify([read, manifest])).not.toContain(CANARY);
    expect(JSON.stringify([read, manifest])).not.toContain('managedFields');
  });

  it('[design 8] masks what stands in a Secret under a misspelt name', async () => {
    const application = anApplication();
    const objects = [{ ...aSecret(), stringdata: { key: CANARY } }];
    const components = [{ name: 'settings', type: 'k8s-objects', properties: { objects } }];
    const { commands, session } = await createCommandRig({ objects: [{ ...application, spec: { components } }] });
    expect((await commands.readManifest(session, SHOP)).manifest).not.toContain(CANARY);
  });

  it('[design 8] asks for the right to get that very object', async () => {
    const { commands, session } = await createCommandRig({ may: ({ resource }) => resource !== 'secrets' });
    await expect(commands.readObject(session, { apiVersion: 'v1', kind: 'Secret', namespace: 'shop', name: 'key' })).rejects.toMatchObject({
      code: 'forbidden',
    });
  });
});
