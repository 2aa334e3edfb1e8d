import { textOf } from '../ask';
import { CONFIG_MAP, configMap, DEPLOYMENT, deployment } from '../objects';
import type { ContractCase } from '../scene';

export const patches: readonly ContractCase[] = [
  {
    title: '[cluster W3] JSON patch: operations, their order, and their failures',
    async play({ cluster, ns, note }) {
      await cluster.create(configMap(ns, 'a', { x: '1', y: '2' }, { labels: { keep: 'me', 'with/slash': '1' } }));
      const at = { ...CONFIG_MAP, namespace: ns, name: 'a' };
      const patch = (...body: object[]) => cluster.patch(at, { type: 'json', body });
      await note(
        'all in one',
        patch(
          { op: 'test', path: '/data/x', value: '1' },
          { op: 'replace', path: '/data/x', value: '9' },
          { op: 'add', path: '/data/z', value: '3' },
          { op: 'remove', path: '/data/y' },
          { op: 'copy', from: '/data/x', path: '/data/w' },
          { op: 'move', from: '/data/z', path: '/data/v' },
          { op: 'remove', path: '/metadata/labels/with~1slash' },
        ),
      );
      await note('test fails', patch({ op: 'test', path: '/data/x', value: '1' }, { op: 'remove', path: '/data/x' }));
      await note('remove what is not there', patch({ op: 'remove', path: '/data/nobody' }));
      await note('replace what is not there', patch({ op: 'replace', path: '/data/nobody', value: '1' }));
      await note('add below what is not there', patch({ op: 'add', path: '/metadata/annotations/x', value: '1' }));
      await note('no such operation', patch({ op: 'jump', path: '/data/x' }));
      await note('no list', cluster.patch(at, { type: 'json', body: { op: 'remove', path: '/data/x' } }));
      await note('result that is invalid', patch({ op: 'add', path: '/data/b a d', value: '1' }));
      await note('nobody', cluster.patch({ ...at, name: 'nobody' }, { type: 'json', body: [] }));
    },
  },
  {
    title: '[cluster W3] merge patch: null removes, lists are replaced, the rest is merged',
    async play({ cluster, ns, note }) {
      await cluster.create(configMap(ns, 'a', { x: '1', y: '2' }, { labels: { a: '1', b: '2' }, finalizers: ['test.io/a', 'test.io/b'] }));
      const at = { ...CONFIG_MAP, namespace: ns, name: 'a' };
      const patch = (body: unknown) => cluster.patch(at, { type: 'merge', body });
      await note('members', patch({ data: { x: null, y: '3', z: '4' }, metadata: { labels: { a: null } } }));
      await note('list', patch({ metadata: { finalizers: ['test.io/b'] } }));
      await note('stale version', patch({ metadata: { resourceVersion: '1' }, data: { q: '1' } }));
      await note('other uid', patch({ metadata: { uid: '11111111-2222-3333-4444-555555555555' } }));
      await note('list as body', patch(['x']));
      await note('null of everything', patch({ data: null, metadata: { labels: null, finalizers: null } }));
      await note('nobody', cluster.patch({ ...at, name: 'nobody' }, { type: 'merge', body: {} }));
    },
  },
  {
    title: '[cluster W3] strategic merge patch: lists are merged by their keys',
    async play({ cluster, ns, note }) {
      const container = (name: string) => ({
        name,
        image: `${name}:1`,
        env: [
          { name: 'A', value: '1' },
          { name: 'B', value: '2' },
        ],
        ports: [{ containerPort: 80 }],
      });
      const template = { metadata: { labels: { app: 'a' } }, spec: { containers: [container('one'), container('two')] } };
      await cluster.create(deployment(ns, 'a', { replicas: 0, paused: true, template }));
      const at = { ...DEPLOYMENT, namespace: ns, name: 'a' };
      const patch = async (spec: object) => {
        const { spec: after } = await cluster.patch(at, { type: 'strategic', body: { spec: { template: { spec } } } });
        return (after as { template: { spec: object } }).template.spec;
      };
      await note('by name', patch({ containers: [{ name: 'two', image: 'two:2' }] }));
      await note('added', patch({ containers: [{ name: 'three', image: 'three:1' }] }));
      await note('deleted', patch({ containers: [{ name: 'one', $patch: 'delete' }] }));
      await note(
        'nested',
        patch({
          containers: [
            {
              name: 'two',
              env: [
                { name: 'B', value: '9' },
                { name: 'C', value: '3' },
                { name: 'A', $patch: 'delete' },
              ],
            },
          ],
        }),
      );
      await note(
        'ordered',
        patch({ '$setElementOrder/containers': [{ name: 'three' }, { name: 'two' }], containers: [{ name: 'three', image: 'three:2' }] }),
      );
      const exchange = [
        { name: 'four', image: 'four:1' },
        { name: 'three', $patch: 'delete' },
      ];
      await note('one for another', patch({ '$setElementOrder/containers': [{ name: 'four' }], containers: exchange }));
      await note('replaced', patch({ containers: [{ $patch: 'replace' }, { name: 'only', image: 'only:1' }] }));
      await note(
        'ports by port',
        patch({ containers: [{ name: 'only', ports: [{ containerPort: 80, name: 'web' }, { containerPort: 81 }] }] }),
      );
      await note('ports again', patch({ containers: [{ name: 'only', ports: [{ containerPort: 80, protocol: 'UDP' }] }] }));
      await note('tolerations are replaced', patch({ tolerations: [{ key: 'a', operator: 'Exists' }] }));
      await note('without the key', patch({ containers: [{ image: 'nameless' }] }));
    },
  },
  {
    title: '[cluster W3] strategic merge patch: primitive lists, retained keys, nulls',
    async play({ cluster, ns, note }) {
      await cluster.create(configMap(ns, 'a', {}, { finalizers: ['test.io/a', 'test.io/b'] }));
      const at = { ...CONFIG_MAP, namespace: ns, name: 'a' };
      const finalizers = async (metadata: object) =>
        (await cluster.patch(at, { type: 'strategic', body: { metadata } })).metadata.finalizers ?? null;
      await note('merged', finalizers({ finalizers: ['test.io/c'] }));
      await note('taken out', finalizers({ '$deleteFromPrimitiveList/finalizers': ['test.io/a'] }));
      await note(
        'ordered',
        finalizers({ '$setElementOrder/finalizers': ['test.io/c', 'test.io/b'], finalizers: ['test.io/c', 'test.io/b'] }),
      );
      await note('null', finalizers({ finalizers: null }));
      await cluster.create(deployment(ns, 'd', { replicas: 0, paused: true }));
      const strategy = async (body: object) => {
        const { spec } = await cluster.patch(
          { ...DEPLOYMENT, namespace: ns, name: 'd' },
          { type: 'strategic', body: { spec: { strategy: body } } },
        );
        return (spec as { strategy: unknown }).strategy;
      };
      await note('a strategy that forbids the other fields', strategy({ type: 'Recreate' }));
      await note('retained keys', strategy({ $retainKeys: ['type'], type: 'Recreate' }));
    },
  },
  {
    title: '[cluster W3] patches that a kind does not take',
    async play({ cluster, ns, note }) {
      await cluster.create(configMap(ns, 'a'));
      const path = `/api/v1/namespaces/${ns}/configmaps/a`;
      const answer = async (type: string, body: string) => {
        const { status, text } = await textOf(cluster, { method: 'PATCH', path, headers: { 'content-type': type }, body });
        const { reason } = JSON.parse(text) as Record<string, unknown>;
        return status === 200 ? 200 : [status, reason]; // the words are those of a JSON library, and of formats we do not speak
      };
      await note('an unknown type', answer('application/x-patch', '{}'));
      await note('no JSON', answer('application/merge-patch+json', '{'));
      await note('good', answer('application/merge-patch+json', '{}'));
    },
  },
];
