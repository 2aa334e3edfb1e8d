import { describe, expect, it } from 'vitest';
import { readField, readFields } from '@/lib/kube/fields';
import { MASK } from '@/lib/kube/mask';
import type { KubeObject } from '@/lib/kube/object';
import { withKeptValues } from '@/server/commands/editor/kept-values';
import { toYaml } from '@/server/commands/manifest-text';
import { anApplication, CANARY, createCommandRig, SHOP } from './rig';

const SEEN = { uid: 'app-uid', generation: 2 };
const OTHER = 'canary-other-77';
const secret = (over: object = {}, metadata: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'key', ...metadata },
  stringData: { key: CANARY, other: OTHER },
  ...over,
});
const withObjects = (objects: readonly object[], over: object = {}): KubeObject => ({
  ...anApplication(),
  spec: { components: [{ name: 'settings', type: 'k8s-objects', properties: { objects }, ...over }] },
});
const STORED = withObjects([secret()]);
const hidden = secret({ stringData: { key: MASK, other: MASK } });
const textOf = ({ apiVersion, kind, spec }: KubeObject) => toYaml({ apiVersion, kind, metadata: { name: 'web', namespace: 'shop' }, spec });
const configMap = (data: object) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'key' }, data });

describe('an application whose text hides values of Secrets', () => {
  it('[design 8, issue 10.1] is read without a value, edited, and saved with every value it hides; once one is written, none stands in it', async () => {
    const rig = await createCommandRig({ objects: [STORED] });
    const read = await rig.commands.readApplicationText(rig.session, SHOP);
    expect(read).toMatchObject({
      masked: false,
      text: expect.stringContaining(`# Values of Secrets and credentials in addresses are hidden: what stays ${MASK} keeps its value.\n`),
    });
    expect(read.text).not.toContain(CANARY);
    const manifest = read.text.replace(`other: ${MASK}`, 'other: again').replace('name: settings', 'name: set');
    await rig.commands.applyApplication(rig.session, { manifest, seen: SEEN });
    const done = rig.cluster.writes.at(-1);
    expect(done).toMatchObject({ dryRun: false, person: { user: 'operator' }, object: { metadata: { resourceVersion: '7' } } });
    const values = rig.cluster.writes.find(({ dryRun, object }) => !dryRun && object?.type === 'slipway.dev/values');
    expect(values).toMatchObject({ verb: 'create', person: { user: 'operator' }, object: { immutable: true } });
    // The Secret first: a crash in between leaves no application that refers to what is not there.
    expect(rig.cluster.writes.filter(({ dryRun }) => !dryRun).map(({ object }) => object?.kind)).toEqual(['Secret', 'Application']);
    const held = readFields(values?.object, 'data');
    expect(Object.values(held).map((value) => Buffer.from(String(value), 'base64').toString())).toEqual([CANARY, 'again']);
    const [key, other] = Object.keys(held).map((one) => ({
      valueFrom: { secretKeyRef: { name: values?.object?.metadata.name, key: one } },
    }));
    expect(readField(done?.object, 'spec', 'components')).toEqual([
      { name: 'set', type: 'k8s-objects', properties: { objects: [secret({ stringData: { key, other } })] } },
    ]);
    expect(JSON.stringify(rig.recorded)).not.toContain(CANARY);
  });

  it('[design 8] tells nothing of a value when it is previewed', async () => {
    const rig = await createCommandRig({ objects: [STORED] });
    const answer = await rig.commands.applyApplication(rig.session, { manifest: textOf(withObjects([hidden])), seen: SEEN, dryRun: true });
    expect(JSON.stringify(answer)).not.toMatch(new RegExp(`${CANARY}|${OTHER}|${Buffer.from(CANARY).toString('base64')}`));
  });

  // A value may come back only to the very place it was hidden at: each of these would tell it, or write a mask.
  it.each<[string, KubeObject]>([
    ['in a ConfigMap of the name', withObjects([configMap({ key: MASK })])],
    ['in a ConfigMap beside the Secret', withObjects([hidden, configMap({ key: MASK })])],
    ['under another key', withObjects([secret({ stringData: { moved: MASK } })])],
    ['under another member', withObjects([secret({ data: { key: MASK } })])],
    ['under a label of the Secret', withObjects([secret({}, { labels: { key: MASK } })])],
    ['under an annotation of the Secret', withObjects([secret({}, { annotations: { key: MASK } })])],
    ['in a Secret of another name', withObjects([secret({ stringData: { key: MASK } }, { name: 'mine' })])],
    ['in a Secret of another namespace', withObjects([secret({ stringData: { key: MASK } }, { namespace: 'mine' })])],
    [
      'in another kind of object that says it is a Secret',
      withObjects([secret({ apiVersion: 'example.com/v1', stringData: { key: MASK } })]),
    ],
    ['in part of a value', withObjects([secret({ stringData: { key: `x${MASK}` } })])],
    ['in a list', withObjects([secret({ stringData: { key: [MASK] } })])],
    ['as the name of the Secret', withObjects([secret({}, { name: MASK })])],
    ['under a key of every object', withObjects([secret({ stringData: { constructor: MASK } })])],
    ['in a component of another type', withObjects([hidden], { type: 'webservice' })],
    ['in a Secret inside another object', withObjects([{ ...configMap({}), inner: hidden }])],
    [
      'in a property of a component',
      {
        ...STORED,
        spec: { components: [{ name: 'front', type: 'webservice', properties: { image: 'web:1', env: [{ name: 'A', value: MASK }] } }] },
      },
    ],
  ])('[design 8] is refused with a hidden value %s, and nothing is written', async (_where, application) => {
    const rig = await createCommandRig({ objects: [STORED] });
    const applied = rig.commands.applyApplication(rig.session, { manifest: textOf(application), seen: SEEN });
    await expect(applied).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringMatching(/masked values|metadata\.name|component|is unknown here/),
    });
    await applied.catch((error: unknown) => expect(JSON.stringify(error) + String(error)).not.toMatch(new RegExp(`${CANARY}|${OTHER}`)));
    expect([rig.cluster.writes, rig.recorded]).toEqual([[], []]);
    expect(() => withKeptValues(application, STORED)).toThrow('contains masked values');
  });

  it.each([
    ['where there is no application', [], 'absent' as const, 'contains masked values'],
    ['that was read on an earlier state', [STORED], { uid: 'app-uid', generation: 1 }, 'was changed by someone else'],
    ['that was read on no state', [STORED], undefined, 'kept only if the application was opened first'],
    ['of which two Secrets of the name are stored', [withObjects([secret(), secret()])], SEEN, 'has no such value there'],
  ])('[design 8] keeps nothing %s', async (_what, objects, seen, sentence) => {
    const rig = await createCommandRig({ objects });
    const request = { manifest: textOf(withObjects([hidden])), ...(seen === undefined ? {} : { seen }) };
    await expect(rig.commands.applyApplication(rig.session, request)).rejects.toThrow(sentence);
    expect(rig.cluster.writes).toEqual([]);
  });

  describe('[issue 10.1] and credentials of addresses', () => {
    const TOKEN = 'ghp_canary0123456789abcdef';
    const release = (git: string, over: object = {}) => ({
      apiVersion: 'helm.fluxcd.io/v1',
      kind: 'HelmRelease',
      metadata: { name: 'api', annotations: { from: git } },
      spec: { releaseName: 'api', chart: { git, path: 'chart' } },
      ...over,
    });

    it.each([`https://bob:${CANARY}@example.com/r.git`, `https://${TOKEN}@example.com/r.git`])(
      'keeps them where they stood: %s',
      async (git) => {
        const stored = withObjects([configMap({ at: git }), release(git)]);
        const rig = await createCommandRig({ objects: [stored] });
        const { text, masked } = await rig.commands.readApplicationText(rig.session, SHOP);
        expect([text.includes(CANARY) || text.includes(TOKEN), masked]).toEqual([false, false]);
        expect(text.split(`https://${MASK}@example.com/r.git`)).toHaveLength(4);
        await rig.commands.applyApplication(rig.session, { manifest: text.replace('path: chart', 'path: charts'), seen: SEEN });
        const done = rig.cluster.writes.findLast(({ dryRun, object }) => !dryRun && object?.kind === 'Application')?.object;
        const moved = release(git, { spec: { releaseName: 'api', chart: { git, path: 'charts' } } });
        expect(readField(done, 'spec', 'components', 0, 'properties', 'objects')).toEqual([configMap({ at: git }), moved]);
        expect(JSON.stringify(rig.recorded)).not.toMatch(new RegExp(`${CANARY}|${TOKEN}`));
      },
    );

    it.each([
      ['of another address', release(`https://${MASK}@example.com/other.git`)],
      ['at another place', { ...configMap({ moved: `https://${MASK}@example.com/r.git` }) }],
      ['beside other words', release(`see https://${MASK}@example.com/r.git`)],
    ])('keeps none %s, and nothing is written', async (_what, object) => {
      const rig = await createCommandRig({ objects: [withObjects([release(`https://bob:${CANARY}@example.com/r.git`)])] });
      const applied = rig.commands.applyApplication(rig.session, { manifest: textOf(withObjects([object])), seen: SEEN });
      await expect(applied).rejects.toThrow('contains masked values');
      expect(rig.cluster.writes).toEqual([]);
    });
  });

  describe('[issue 10.1] and texts that hold a Secret', () => {
    const file = `apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\nstringData:\n  password: ${CANARY}\n`;

    it('keeps them where they stood, and shows them in no preview', async () => {
      const rig = await createCommandRig({ objects: [withObjects([configMap({ 'db.yaml': file, a: '1' })])] });
      const { text, masked } = await rig.commands.readApplicationText(rig.session, SHOP);
      expect([text.includes(CANARY), masked, text.includes(`db.yaml: ${MASK}`)]).toEqual([false, false, true]);
      const manifest = text.replace('a: "1"', 'a: "2"');
      expect(JSON.stringify(await rig.commands.applyApplication(rig.session, { manifest, seen: SEEN, dryRun: true }))).not.toContain(
        CANARY,
      );
      await rig.commands.applyApplication(rig.session, { manifest, seen: SEEN });
      const done = rig.cluster.writes.findLast(({ dryRun, object }) => !dryRun && object?.kind === 'Application')?.object;
      expect(readField(done, 'spec', 'components', 0, 'properties', 'objects')).toEqual([configMap({ 'db.yaml': file, a: '2' })]);
      expect(JSON.stringify(rig.recorded)).not.toContain(CANARY);
    });

    it.each([
      ['under another key', configMap({ moved: MASK })],
      ['in a text', configMap({ 'db.yaml': `see ${MASK}` })],
      ['in a Secret', secret({ stringData: { 'db.yaml': MASK } })],
    ])('keeps none %s, and nothing is written', async (_what, object) => {
      const rig = await createCommandRig({ objects: [withObjects([configMap({ 'db.yaml': file })])] });
      const applied = rig.commands.applyApplication(rig.session, { manifest: textOf(withObjects([object])), seen: SEEN });
      await expect(applied).rejects.toThrow('contains masked values');
      expect(rig.cluster.writes).toEqual([]);
    });
  });

  it('[design 8] says that it hides a value that no save could keep', async () => {
    const holds = (objects: readonly object[]) => createCommandRig({ objects: [withObjects(objects)] });
    const wrapped = await holds([{ ...configMap({}), inner: secret() }]);
    expect(await wrapped.commands.readApplicationText(wrapped.session, SHOP)).toMatchObject({ masked: true });
    const inner = {
      ...anApplication(),
      metadata: { name: 'inner' },
      spec: { components: [{ name: 's', type: 'k8s-objects', properties: { objects: [secret()] } }] },
    };
    const kept = await holds([inner]);
    expect(await kept.commands.readApplicationText(kept.session, SHOP)).toMatchObject({
      masked: false,
      text: expect.not.stringContaining(CANARY),
    });
  });
});
