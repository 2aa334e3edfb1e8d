import { expect, it } from 'vitest';
import type { ObjectEditPreview } from '@/lib/contract/acts/object-edit';
import { KINDS } from '@/lib/kube/kinds';
import { MASK } from '@/lib/kube/mask';
import type { KubeObject } from '@/lib/kube/object';
import { withHidden } from '@/server/commands/objects/edit/hidden-values';
import { createCommandRig } from '../rig';

const VALUE = 'canary-hidden-5521';
const AT = { ...KINDS.helmRelease, name: 'hides' };
const release: KubeObject = {
  ...KINDS.helmRelease,
  metadata: { namespace: 'shop', name: 'hides', uid: 'u', resourceVersion: '3' },
  spec: {
    chart: { git: 'https://git.example.com/charts', path: 'web' },
    values: {
      env: [
        { name: 'TOKEN', sensitive: true, value: VALUE },
        { name: 'TOKEN', value: 'plain' },
      ],
      extra: [{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'key' }, stringData: { password: VALUE } }],
      replicas: 1,
    },
  },
};

/** The release as it is opened for editing, and what comes of another text. */
async function open() {
  const rig = await createCommandRig({ objects: [release] });
  const { text, uid, state } = await rig.commands.readEditableObject(rig.session, { ...AT, namespace: 'shop' });
  const edit = (manifest: string, more: object = { dryRun: true }) =>
    rig.commands.editObject(rig.session, { ...AT, ns: 'shop', manifest, seen: { uid, state }, ...more });
  return { ...rig, text, edit };
}

it.each<readonly [string, (text: string) => string]>([
  ['a Secret within it becomes a ConfigMap', (text) => text.replace('kind: Secret', 'kind: ConfigMap')],
  ['a Secret within it is of another group', (text) => text.replace('apiVersion: v1\n', 'apiVersion: example.com/v1\n')],
  ['a Secret within it is of no kind any more', (text) => text.replace('kind: Secret', 'sort: Secret')],
  ['a variable is sensitive no more', (text) => text.replace('sensitive: true', 'sensitive: false')],
  ['a variable is not said to be sensitive', (text) => text.replace(/\n *sensitive: true/, '')],
  ['another variable of the name is not sensitive', (text) => text.replace('value: plain', `value: ${MASK}`)],
])('[design 8] editing an object tells no hidden value, and writes none to where it can be read, where %s', async (_how, change) => {
  const { text, edit, cluster } = await open();
  expect([text.split(MASK).length, text]).toEqual([3, expect.not.stringContaining(VALUE)]);
  const changed = change(text);
  expect(changed).not.toBe(text);
  const told = await edit(changed).catch((error: unknown) => error);
  expect(told).toMatchObject({ code: 'invalid', message: expect.stringContaining('would show the value of spec.values.') });
  expect([JSON.stringify(told).includes(VALUE), cluster.writes]).toEqual([false, []]);
});

it('[design 8] editing an object keeps the values that stay hidden, and tells none', async () => {
  const { text, edit, cluster } = await open();
  const manifest = text.replace('replicas: 1', 'replicas: 2');
  const told = (await edit(manifest)) as ObjectEditPreview;
  expect([told.fields, JSON.stringify(told).includes(VALUE)]).toEqual([['spec.values.replicas'], false]);
  await edit(manifest, { plan: told.plan });
  const { values } = release.spec as { readonly values: object };
  expect(cluster.writes.at(-1)?.object.spec).toMatchObject({ values: { ...values, replicas: 2 } });
});

it('[issue 14.1] editing an object takes a mask nowhere but where it was shown', async () => {
  const { text, edit, cluster } = await open();
  for (const line of [`  other: ${MASK}\n`, `  other: x${MASK}\n`])
    await expect(edit(`${text}${line}`)).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringContaining('masked values where none were shown'),
    });
  expect(cluster.writes).toEqual([]);
});

it('[issue 14.1] a text keeps hidden values beside members that are empty, and lists that are new', () => {
  const secret = (password: unknown, more: object = {}) => ({
    ...{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'key' } },
    data: { password, none: null },
    ...more,
  });
  const [live, shown] = [secret('YQ=='), secret(MASK)];
  expect(withHidden(shown, shown, live)).toEqual(live);
  const added = { finalizers: [{ name: 'a' }, 'b'] };
  expect(withHidden({ ...shown, ...added }, shown, live)).toEqual({ ...live, ...added });
});
