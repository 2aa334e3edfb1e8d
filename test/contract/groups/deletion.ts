import type { KubeObject } from '@/lib/kube/object';
import { CONFIG_MAP, configMap, DEPLOYMENT, deployment, NAMESPACE, POD, REPLICA_SET } from '../objects';
import type { ContractCase, Scene } from '../scene';

const OTHER_UID = '11111111-2222-3333-4444-555555555555';

const owner = (object: KubeObject, more: object = {}) => ({
  apiVersion: object.apiVersion,
  kind: object.kind,
  name: object.metadata.name,
  uid: object.metadata.uid,
  ...more,
});

const isGone = (scene: Scene, name: string) => async () => (await scene.all(CONFIG_MAP)).every((object) => object.metadata.name !== name);
const namesLeft = async (scene: Scene) => (await scene.all(CONFIG_MAP, 'ours')).map((object) => object.metadata.name);
const ours = { labels: { ours: 'yes' } };

export const deletion: readonly ContractCase[] = [
  {
    title: '[cluster D1] a delete answers what it did, and honours preconditions',
    async play({ cluster, ns, note }) {
      const at = { ...CONFIG_MAP, namespace: ns, name: 'a' };
      const first = await note('first', cluster.create(configMap(ns, 'a')));
      const { uid = '', resourceVersion = '' } = first.metadata;
      await note('another uid', cluster.delete(at, { preconditions: { uid: OTHER_UID } }));
      await note('another version', cluster.delete(at, { preconditions: { uid, resourceVersion: '1' } }));
      await note('dry run', cluster.delete(at, { dryRun: true }));
      await note(
        'still there',
        cluster.get(at).then((object) => object.metadata.name),
      );
      await note('both right', cluster.delete(at, { preconditions: { uid, resourceVersion } }));
      await note('again', cluster.delete(at));
    },
  },
  {
    title: '[cluster D1] finalizers hold an object until the last one goes',
    async play({ cluster, ns, note, events }) {
      const at = { ...CONFIG_MAP, namespace: ns, name: 'a' };
      const first = await cluster.create(configMap(ns, 'a', {}, { finalizers: ['test.io/a', 'test.io/b'] }));
      await note('deleted', cluster.delete(at));
      await note('deleted again', cluster.delete(at));
      await note('changed meanwhile', cluster.patch(at, { type: 'merge', body: { data: { x: '1' } } }));
      await note(
        'a finalizer more',
        cluster.patch(at, { type: 'merge', body: { metadata: { finalizers: ['test.io/a', 'test.io/b', 'test.io/c'] } } }),
      );
      await note('made alive again', cluster.patch(at, { type: 'merge', body: { metadata: { deletionTimestamp: null } } }));
      await note('one less', cluster.patch(at, { type: 'merge', body: { metadata: { finalizers: ['test.io/b'] } } }));
      await note('the last', cluster.patch(at, { type: 'merge', body: { metadata: { finalizers: null } } }));
      await note('gone', cluster.get(at));
      await note(
        'events',
        events({ ...CONFIG_MAP, namespace: ns }, 4, {
          resourceVersion: first.metadata.resourceVersion ?? '',
          fieldSelector: 'metadata.name=a',
        }),
      );
    },
  },
  {
    title: '[cluster D1] propagation policies put their finalizer',
    async play({ cluster, ns, note }) {
      for (const propagationPolicy of ['Foreground', 'Orphan'] as const) {
        const name = propagationPolicy.toLowerCase();
        await cluster.create(configMap(ns, name, {}, { finalizers: ['test.io/hold'] }));
        const at = { ...CONFIG_MAP, namespace: ns, name };
        const { metadata } = await cluster.delete(at, { propagationPolicy });
        await note(name, [metadata.finalizers, typeof metadata.deletionTimestamp, metadata.deletionGracePeriodSeconds]);
        await cluster.patch(at, { type: 'merge', body: { metadata: { finalizers: null } } });
      }
      await note(
        'no such policy',
        cluster.delete({ ...CONFIG_MAP, namespace: ns, name: 'x' }, { propagationPolicy: 'Sideways' as 'Orphan' }),
      );
    },
  },
  {
    title: '[cluster D1] a pod goes after its grace',
    async play({ cluster, ns, note }) {
      const spec = {
        automountServiceAccountToken: false,
        terminationGracePeriodSeconds: 7,
        schedulerName: 'nobody',
        containers: [{ name: 'main', image: 'x' }],
      };
      for (const name of ['a', 'b'])
        await cluster.create({
          ...POD,
          metadata: { namespace: ns, name, ...(name === 'b' ? { finalizers: ['test.io/hold'] } : {}) },
          spec,
        });
      await note(
        'that no node has seen',
        cluster.delete({ ...POD, namespace: ns, name: 'a' }).then((object) => object.metadata.deletionGracePeriodSeconds),
      );
      await note('is gone at once', cluster.get({ ...POD, namespace: ns, name: 'a' }));
      const at = { ...POD, namespace: ns, name: 'b' };
      await note(
        'negative grace',
        cluster.delete(at, { gracePeriodSeconds: -5 }).then((object) => object.metadata.deletionGracePeriodSeconds),
      );
      await note(
        'by force',
        cluster.delete(at, { gracePeriodSeconds: 0 }).then((object) => object.metadata.deletionGracePeriodSeconds),
      );
      await cluster.patch(at, { type: 'merge', body: { metadata: { finalizers: null } } });
    },
  },
  {
    title: '[cluster D2] what an owner leaves behind goes, unless another owner lives',
    async play(scene) {
      const { cluster, ns, note, until } = scene;
      const first = await cluster.create(configMap(ns, 'first', {}, ours));
      const second = await cluster.create(configMap(ns, 'second', {}, ours));
      await cluster.create(configMap(ns, 'of-first', {}, { ...ours, ownerReferences: [owner(first)] }));
      await cluster.create(configMap(ns, 'of-both', {}, { ...ours, ownerReferences: [owner(first), owner(second)] }));
      await cluster.create(configMap(ns, 'of-a-namesake', {}, { ...ours, ownerReferences: [owner(first, { uid: OTHER_UID })] }));
      await until('the child of nobody is gone', isGone(scene, 'of-a-namesake'));
      await cluster.delete({ ...CONFIG_MAP, namespace: ns, name: 'first' }, { propagationPolicy: 'Background' });
      await until('the child is gone', isGone(scene, 'of-first'));
      const owners = async () => (await scene.read(CONFIG_MAP, 'of-both')).metadata.ownerReferences?.map(({ name }) => name).join();
      await until('the dead owner is struck out', async () => (await owners()) === 'second');
      await note('left', namesLeft(scene));
      await cluster.delete({ ...CONFIG_MAP, namespace: ns, name: 'second' });
      await until('the last goes', isGone(scene, 'of-both'));
      await note('nothing left', namesLeft(scene));
    },
  },
  {
    title: '[cluster D1] in the foreground the owner waits for those who block it; orphans stay',
    async play(scene) {
      const { cluster, ns, note, until } = scene;
      const parent = await cluster.create(configMap(ns, 'parent', {}, ours));
      await cluster.create(
        configMap(
          ns,
          'held',
          {},
          { ...ours, finalizers: ['test.io/hold'], ownerReferences: [owner(parent, { blockOwnerDeletion: true })] },
        ),
      );
      await cluster.create(configMap(ns, 'free', {}, { ...ours, ownerReferences: [owner(parent)] }));
      await cluster.delete({ ...CONFIG_MAP, namespace: ns, name: 'parent' }, { propagationPolicy: 'Foreground' });
      await until('the free child is gone', isGone(scene, 'free'));
      await until('the held child is going', async () => (await scene.read(CONFIG_MAP, 'held')).metadata.deletionTimestamp !== undefined);
      await note('waiting', namesLeft(scene));
      await cluster.patch({ ...CONFIG_MAP, namespace: ns, name: 'held' }, { type: 'merge', body: { metadata: { finalizers: null } } });
      await until('the owner goes', isGone(scene, 'parent'));
      const other = await cluster.create(configMap(ns, 'other', {}, ours));
      await cluster.create(configMap(ns, 'orphan', {}, { ...ours, ownerReferences: [owner(other)] }));
      await cluster.delete({ ...CONFIG_MAP, namespace: ns, name: 'other' }, { propagationPolicy: 'Orphan' });
      await until('the other is gone', isGone(scene, 'other'));
      await note(
        'orphan',
        scene.read(CONFIG_MAP, 'orphan').then((object) => object.metadata.ownerReferences ?? null),
      );
    },
  },
  {
    title: '[cluster D1] a deployment takes its replica sets and pods along',
    async play(scene) {
      const { cluster, ns, note, until, all } = scene;
      await cluster.create(deployment(ns, 'a'));
      await until('pods are there', async () => (await all(POD)).length === 2);
      await cluster.delete({ ...DEPLOYMENT, namespace: ns, name: 'a' });
      await until(
        'everything is gone',
        async () => (await all(POD)).length + (await all(REPLICA_SET)).length + (await all(DEPLOYMENT)).length === 0,
      );
      await note('left', [await all(POD), await all(REPLICA_SET)]);
    },
  },
  {
    title: '[cluster D3] a namespace is emptied, takes nothing new, and goes',
    async play({ cluster, id, note, until }) {
      const name = `n-${id}`;
      const at = { ...NAMESPACE, name };
      await note('created', cluster.create({ ...NAMESPACE, metadata: { name } }));
      await cluster.create(configMap(name, 'held', {}, { finalizers: ['test.io/hold'] }));
      await cluster.create(configMap(name, 'free'));
      await note(
        'deleted',
        cluster.delete(at).then((object) => [object.metadata.deletionTimestamp !== undefined, object.spec, object.status]),
      );
      const conditions = async () =>
        ((await cluster.get(at)).status as { conditions?: { type: string; status: string; reason: string; message: string }[] })
          .conditions ?? [];
      await until('it says what remains', async () =>
        (await conditions()).some(({ type, status }) => type === 'NamespaceFinalizersRemaining' && status === 'True'),
      );
      await note(
        'conditions',
        (await conditions()).map(({ type, status, reason, message }) => ({ type, status, reason, message })),
      );
      await note('nothing new', cluster.create(configMap(name, 'late')));
      await cluster.patch({ ...CONFIG_MAP, namespace: name, name: 'held' }, { type: 'merge', body: { metadata: { finalizers: null } } });
      await until('it is gone', () =>
        cluster.get(at).then(
          () => false,
          () => true,
        ),
      );
      await note('gone', cluster.get(at));
    },
  },
  {
    title: '[cluster D4] a collection goes as selectors say',
    async play(scene) {
      const { cluster, ns, note } = scene;
      for (const [name, tier] of [
        ['a', 'front'],
        ['b', 'back'],
        ['c', 'back'],
        ['d', 'none'],
      ] as const)
        await cluster.create(configMap(ns, name, {}, { labels: { ours: 'yes', tier } }));
      const of = { ...CONFIG_MAP, namespace: ns };
      await note('by label', cluster.deleteCollection(of, { labelSelector: 'tier=back' }));
      await note('left', namesLeft(scene));
      await note('by field', cluster.deleteCollection(of, { fieldSelector: 'metadata.name=a' }));
      await note('left then', namesLeft(scene));
      await note('bad selector', cluster.deleteCollection(of, { labelSelector: 'a in' }));
      await note('none match', cluster.deleteCollection(of, { labelSelector: 'tier=nobody' }));
      await note('left at last', namesLeft(scene));
    },
  },
];
