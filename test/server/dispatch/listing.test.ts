import { expect, it } from 'vitest';
import type { KubeObject } from '@/lib/kube/object';
import type { TrackerEntry } from '@/server/dispatch';
import { listsAll } from '@/server/dispatch';

const object = (namespace: string, apiVersion = 'v1', kind = 'ConfigMap'): KubeObject => ({
  apiVersion,
  kind,
  metadata: { name: 'settings', namespace },
});
const entry = (at: { readonly apiVersion?: string; readonly kind?: string; readonly namespace?: string }): TrackerEntry => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  name: 'settings',
  cluster: 'local',
  component: 'set',
  deleted: false,
  skipGC: false,
  ...at,
});

it.each<[string, readonly KubeObject[], readonly TrackerEntry[], boolean]>([
  ['lists what it names', [object('shop')], [entry({ namespace: 'shop' })], true],
  ['does not list a namesake in another namespace', [object('shop'), object('labs')], [entry({ namespace: 'shop' })], false],
  ['does not list a namesake of another group', [object('shop', 'example.dev/v1')], [entry({ namespace: 'shop' })], false],
  [
    'lists an object whichever version of its kind it was recorded by',
    [object('shop', 'example.dev/v1')],
    [entry({ apiVersion: 'example.dev/v2', namespace: 'shop' })],
    true,
  ],
  [
    'lists without a namespace what has none, whatever the manifest says',
    [object('shop', 'v1', 'Namespace')],
    [entry({ kind: 'Namespace' })],
    true,
  ],
])('[dispatch 13] a record %s', (_title, manifests, entries, isListed) => {
  expect(listsAll({ entries }, manifests)).toBe(isListed);
});
