import type { KubeObject } from '@/lib/kube/object';
import type { Cluster } from '@/server/kube';
import type { ListOptions } from '@/server/kube/cluster';
import { statusOf } from '../ask';
import { CONFIG_MAP, configMap, DEPLOYMENT, POD, SECRET } from '../objects';
import type { ContractCase, Scene } from '../scene';

const LABELS = [
  ['a', { tier: 'front', env: 'prod' }],
  ['b', { tier: 'back', env: 'prod' }],
  ['c', { tier: 'back' }],
  ['d', {}],
] as const;

async function fill({ cluster, ns }: Scene): Promise<void> {
  for (const [name, labels] of LABELS) await cluster.create(configMap(ns, name, {}, { labels: { ours: 'yes', ...labels } }));
}

async function names(cluster: Cluster, namespace: string, options: ListOptions): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const page of cluster.list({ ...CONFIG_MAP, namespace }, options))
    found.push(...page.items.map((item) => item.metadata.name ?? ''));
  return found.filter((name) => name !== 'kube-root-ca.crt'); // every namespace gets one sooner or later
}

async function firstPage(cluster: Cluster, namespace: string, options: ListOptions) {
  for await (const page of cluster.list({ ...CONFIG_MAP, namespace }, options)) return page;
  return undefined;
}

const SELECTORS = [
  'tier=back',
  'tier==back',
  'tier!=back',
  'tier in (front,back)',
  'tier notin (front)',
  'tier',
  '!tier',
  'tier=back,env=prod',
  'tier=',
  '',
];
const BAD_SELECTORS = ['tier in', 'tier in ()', '=x', 'a b', 'tier=a=b', 'UPPER/lower/x=1', `${'k'.repeat(64)}=v`, 'tier=-x'];

export const reads: readonly ContractCase[] = [
  {
    title: '[cluster R1] a list carries a version, its items their type',
    async play(scene) {
      await fill(scene);
      const page = await firstPage(scene.cluster, scene.ns, { labelSelector: 'ours' });
      await scene.note('page', { ...page, resourceVersion: /^\d+$/.test(page?.resourceVersion ?? '') });
    },
  },
  {
    title: '[cluster R1] versions that a list may ask for, and may not',
    async play(scene) {
      await fill(scene);
      const { cluster, ns, note } = scene;
      const ours = { labelSelector: 'ours' };
      const { resourceVersion: at = '' } = (await firstPage(cluster, ns, ours)) ?? {};
      await cluster.create(configMap(ns, 'e', {}, { labels: { ours: 'yes' } }));
      await note('exact', names(cluster, ns, { ...ours, resourceVersion: at, resourceVersionMatch: 'Exact' }));
      await note('not older', names(cluster, ns, { ...ours, resourceVersion: at, resourceVersionMatch: 'NotOlderThan' }));
      await note(
        'exact page',
        firstPage(cluster, ns, { ...ours, limit: 1, resourceVersion: at, resourceVersionMatch: 'Exact' }).then(
          (page) => page?.items.length,
        ),
      );
      await note('no number', names(cluster, ns, { ...ours, resourceVersion: 'yesterday' }));
      await note('match without version', names(cluster, ns, { ...ours, resourceVersionMatch: 'Exact' }));
      await note('exactly zero', names(cluster, ns, { ...ours, resourceVersion: '0', resourceVersionMatch: 'Exact' }));
      await note('no such match', names(cluster, ns, { ...ours, resourceVersion: at, resourceVersionMatch: 'Perhaps' as 'Exact' }));
    },
  },
  {
    title: '[cluster R2] pages are one snapshot, whatever is written meanwhile',
    async play({ cluster, ns, note, all }) {
      const create = (name: string) => cluster.create({ ...SECRET, metadata: { namespace: ns, name } });
      for (const name of ['a', 'b', 'c', 'd', 'e']) await create(name);
      const seen: { names: unknown[]; remaining: number | undefined; sameVersion: boolean; more: boolean }[] = [];
      let version: string | undefined;
      for await (const page of cluster.list({ ...SECRET, namespace: ns }, { limit: 2 })) {
        version ??= page.resourceVersion;
        const names = page.items.map((item) => item.metadata.name);
        const more = page.continue !== undefined;
        seen.push({ names, remaining: page.remainingItemCount, sameVersion: page.resourceVersion === version, more });
        if (seen.length > 1) continue;
        await cluster.delete({ ...SECRET, namespace: ns, name: 'd' });
        await create('bb');
      }
      await note('pages', seen);
      await note(
        'afterwards',
        (await all(SECRET)).map((item) => item.metadata.name),
      );
    },
  },
  {
    title: '[cluster R2] a token that is none is refused',
    async play({ cluster, ns, note }) {
      const token = (value: object) => names(cluster, ns, { continue: Buffer.from(JSON.stringify(value)).toString('base64url') });
      await note('another version', token({ v: 'v9' }));
      await note('no version', token({}));
      await note(
        'with a version beside it',
        statusOf(cluster, { path: `/api/v1/namespaces/${ns}/configmaps?limit=1&continue=x&resourceVersion=5` }),
      );
    },
  },
  {
    title: '[cluster R3] label selectors choose',
    async play(scene) {
      await fill(scene);
      for (const labelSelector of SELECTORS) await scene.note(labelSelector, names(scene.cluster, scene.ns, { labelSelector }));
    },
  },
  {
    title: '[cluster R3] bad label selectors are refused',
    async play({ cluster, ns, note }) {
      for (const labelSelector of BAD_SELECTORS) await note(labelSelector, names(cluster, ns, { labelSelector }));
    },
  },
  {
    title: '[cluster R3] field selectors choose by name and by the fields of the kind',
    async play(scene) {
      const { cluster, ns, note } = scene;
      await fill(scene);
      for (const fieldSelector of [
        'metadata.name=b',
        'metadata.name!=b',
        `metadata.namespace=${ns}`,
        'metadata.namespace=elsewhere',
        'metadata.name=b,metadata.name=c',
      ])
        await note(fieldSelector, names(cluster, ns, { labelSelector: 'ours', fieldSelector }));
      for (const fieldSelector of ['data.x=1', 'metadata.name', 'metadata.labels=x'])
        await note(fieldSelector, names(cluster, ns, { fieldSelector }));
      const pods = async (fieldSelector: string) => {
        const found: string[] = [];
        for await (const page of cluster.list({ ...POD, namespace: ns }, { fieldSelector }))
          found.push(...page.items.map((item) => item.metadata.name ?? ''));
        return found;
      };
      for (const fieldSelector of [
        'status.phase=Running',
        'spec.nodeName=node-9',
        'spec.restartPolicy!=Never',
        'spec.schedulerName=x',
        'status.podIP=1.2.3.4',
        'spec.image=x',
      ])
        await note(`pods ${fieldSelector}`, pods(fieldSelector));
    },
  },
  {
    title: '[cluster R1] reading what is not there',
    async play({ cluster, ns, note }) {
      await note('an object', cluster.get({ ...CONFIG_MAP, namespace: ns, name: 'nobody' }));
      await note('a group object', cluster.get({ ...DEPLOYMENT, namespace: ns, name: 'nobody' }));
      await note('a cluster object', cluster.get({ apiVersion: 'v1', kind: 'Namespace', name: 'nobody' }));
      await note('in a namespace that is not there', cluster.get({ ...CONFIG_MAP, namespace: 'nowhere', name: 'nobody' }));
      await note('a list in a namespace that is not there', names(cluster, 'nowhere', {}));
    },
  },
  {
    title: '[cluster R4] a watch tells what happened since a version, in order, once',
    async play({ cluster, ns, note, events }) {
      const first = await cluster.create(configMap(ns, 'a', { at: '1' }));
      await cluster.update({ ...first, data: { at: '2' } });
      await cluster.patch({ ...CONFIG_MAP, namespace: ns, name: 'a' }, { type: 'merge', body: { data: { at: '3' } } });
      await cluster.create(configMap(ns, 'b'));
      await cluster.delete({ ...CONFIG_MAP, namespace: ns, name: 'a' });
      const options = { resourceVersion: first.metadata.resourceVersion ?? '', fieldSelector: 'metadata.name!=kube-root-ca.crt' };
      await note('events', events({ ...CONFIG_MAP, namespace: ns }, 4, options));
    },
  },
  {
    title: '[cluster R4] metadata alone is of the same kind, by list and by watch',
    async play({ cluster, ns, note, events }) {
      const first = await cluster.create(configMap(ns, 'a', { at: '1' }, { labels: { ours: 'yes' } }));
      const known = ({ apiVersion, kind, metadata: { name, labels } }: KubeObject) => ({ apiVersion, kind, name, labels });
      const of = { ...CONFIG_MAP, namespace: ns };
      for await (const { items } of cluster.list(of, { labelSelector: 'ours', metadataOnly: true })) await note('listed', items.map(known));
      await cluster.patch({ ...of, name: 'a' }, { type: 'merge', body: { data: { at: '2' } } });
      await cluster.delete({ ...of, name: 'a' });
      const options = { resourceVersion: first.metadata.resourceVersion ?? '', labelSelector: 'ours', metadataOnly: true };
      const seen = await events(of, 2, options);
      await note(
        'watched',
        seen.map(({ type, object }) => ({ type, ...known(object) })),
      );
    },
  },
  {
    title: '[cluster R4] an object that begins or ceases to match a selector is added or deleted',
    async play({ cluster, ns, note, events }) {
      const at = { ...CONFIG_MAP, namespace: ns, name: 'a' };
      const first = await cluster.create(configMap(ns, 'a'));
      const label = (value: string | null) => cluster.patch(at, { type: 'merge', body: { metadata: { labels: { on: value } } } });
      await label('yes');
      await cluster.patch(at, { type: 'merge', body: { data: { x: '1' } } });
      await label(null);
      await label('yes');
      await cluster.delete(at);
      const options = { resourceVersion: first.metadata.resourceVersion ?? '', labelSelector: 'on=yes' };
      await note('events', events({ ...CONFIG_MAP, namespace: ns }, 5, options));
    },
  },
  {
    title: '[cluster R4] a watch without a version begins with what is there',
    async play({ cluster, ns, note, events }) {
      for (const name of ['a', 'b']) await cluster.create(configMap(ns, name, {}, { labels: { ours: 'yes' } }));
      for (const resourceVersion of [undefined, '0']) {
        const options = { labelSelector: 'ours', ...(resourceVersion === undefined ? {} : { resourceVersion }) };
        const seen = await events({ ...CONFIG_MAP, namespace: ns }, 2, options);
        await note(`from ${resourceVersion ?? 'nothing'}`, seen.map(({ type, object }) => `${type} ${object.metadata.name}`).sort());
      }
    },
  },
  {
    title: '[cluster R4] initial events end with the annotated bookmark',
    async play({ cluster, ns, note, events }) {
      for (const name of ['a', 'b']) await cluster.create(configMap(ns, name, {}, { labels: { ours: 'yes' } }));
      const options = {
        labelSelector: 'ours',
        sendInitialEvents: true,
        allowWatchBookmarks: true,
        resourceVersionMatch: 'NotOlderThan',
      } as const;
      const seen = await events({ ...CONFIG_MAP, namespace: ns }, 3, options);
      await note(
        'names',
        seen
          .slice(0, 2)
          .map(({ type, object }) => `${type} ${object.metadata.name}`)
          .sort(),
      );
      await note('bookmark', seen[2]);
      await note('without the match', events({ ...CONFIG_MAP, namespace: ns }, 1, { sendInitialEvents: true, allowWatchBookmarks: true }));
    },
  },
  {
    title: '[cluster R4] a watch that cannot begin, and one whose time is up',
    async play({ ns, note, events }) {
      await note('no number', events({ ...CONFIG_MAP, namespace: ns }, 1, { resourceVersion: 'yesterday' }));
      await note('bad selector', events({ ...CONFIG_MAP, namespace: ns }, 1, { labelSelector: 'a in' }));
      await note('bad field', events({ ...CONFIG_MAP, namespace: ns }, 1, { fieldSelector: 'data.x=1' }));
      await note('a second', events({ ...CONFIG_MAP, namespace: ns }, 1, { labelSelector: 'none=here', timeoutSeconds: 1 }));
    },
  },
];
