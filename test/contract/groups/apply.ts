import type { KubeObject } from '@/lib/kube/object';
import type { PatchOptions } from '@/server/kube';
import { CONFIG_MAP, configMap, DEPLOYMENT, deployment, POD, SERVICE } from '../objects';
import type { ContractCase } from '../scene';
import { customKindsApplied } from './apply-custom';
import { applier, by, seen, slim } from './applying';
import { owners } from './ownership';

export const apply: readonly ContractCase[] = [
  {
    title: '[cluster W4] apply creates what is not there, and says nothing new the second time',
    async play(scene) {
      const { cluster, ns, note } = scene;
      const put = applier(scene);
      await note('created', seen(put(configMap(ns, 'a', { x: '1', y: '2' }, { labels: { a: '1' } }), by('one'))));
      const before = await cluster.get({ ...CONFIG_MAP, namespace: ns, name: 'a' });
      const again = await put(configMap(ns, 'a', { x: '1', y: '2' }, { labels: { a: '1' } }), by('one'));
      await note('again', again.metadata.resourceVersion === before.metadata.resourceVersion);
      await note('changed', seen(put(configMap(ns, 'a', { x: '9', y: '2' }, { labels: { a: '1' } }), by('one'))));
      await note('less', seen(put(configMap(ns, 'a', { x: '9' }), by('one'))));
      await note('nothing', seen(put({ ...CONFIG_MAP, metadata: { namespace: ns, name: 'a' } }, by('one'))));
      await note('a deployment', seen(put(slim(ns, 'd', {}), by('one'))));
      await note('status in it is not taken', seen(put({ ...slim(ns, 's', {}), status: { replicas: 3 } }, by('one'))));
    },
  },
  {
    title: '[cluster W4] what others set to something else is a conflict, with one cause for each field; force takes it',
    async play(scene) {
      const { cluster, ns, note } = scene;
      const put = applier(scene);
      const at = { ...CONFIG_MAP, namespace: ns, name: 'a' };
      await cluster.create(configMap(ns, 'a', { x: '1', y: '2', z: '3' }), by('maker'));
      await note('one field', put(configMap(ns, 'a', { x: '9', y: '2' }), by('one')));
      await note('two fields', put(configMap(ns, 'a', { x: '9', y: '9', new: '1' }), by('one')));
      await note('the same is shared', seen(put(configMap(ns, 'a', { x: '1' }), by('one'))));
      await note('forced', seen(put(configMap(ns, 'a', { x: '9', y: '2' }), by('one', { force: true }))));
      await note('against one who applies', put(configMap(ns, 'a', { x: '8' }), by('two')));
      await note('shared by two who apply', seen(put(configMap(ns, 'a', { x: '9' }), by('two'))));
      await note('then neither may alone', put(configMap(ns, 'a', { x: '7' }), by('two')));
      await note('one lets go of it', seen(put(configMap(ns, 'a', { y: '2' }), by('one'))));
      await note('then the other may', seen(put(configMap(ns, 'a', { x: '7' }), by('two'))));
      await note('an update takes it', seen(cluster.patch(at, { type: 'merge', body: { data: { x: '6' } } }, by('updater'))));
      await note('and it is a conflict', put(configMap(ns, 'a', { x: '7' }), by('two')));
      const d = { ...DEPLOYMENT, namespace: ns, name: 'd' };
      await put(slim(ns, 'd', { replicas: 1 }), by('one'));
      await cluster.patch(d, { type: 'merge', body: { spec: { replicas: 2 } } }, { subresource: 'scale', fieldManager: 'scaler' });
      await note('below a subresource', put(slim(ns, 'd', { replicas: 1 }), by('one')));
      const image = { spec: { template: { spec: { containers: [{ name: 'main', image: 'other:1' }] } } } };
      await cluster.patch(d, { type: 'strategic', body: image }, by('imager'));
      await note('in a list', put(slim(ns, 'd', { replicas: 2 }), by('one')));
      const { replicas: _left, ...spec } = slim(ns, 'd', {}).spec as Record<string, unknown>;
      await note(
        'left to others',
        seen(
          put(
            {
              ...slim(ns, 'd', {}),
              spec: { ...spec, template: { metadata: { labels: { app: 'd' } }, spec: { containers: [{ name: 'main' }] } } },
            },
            by('one'),
          ),
        ),
      );
    },
  },
  {
    title: '[cluster W4] lists are merged by their keys, sets by their items, others are replaced',
    async play(scene) {
      const { cluster, ns, note } = scene;
      const put = applier(scene);
      const template = async (outcome: Promise<KubeObject>) => {
        const object = await outcome;
        return { template: (object.spec as { template: unknown }).template, owners: await owners(object) };
      };
      const env = (...names: string[]) => names.map((name) => ({ name, value: name }));
      await put(
        slim(ns, 'd', {}, [
          { name: 'a', image: 'a:1', env: env('A', 'B'), args: ['x'] },
          { name: 'b', image: 'b:1' },
        ]),
        by('one'),
      );
      await note(
        'another adds',
        template(
          put(
            slim(ns, 'd', {}, [
              { name: 'c', image: 'c:1' },
              { name: 'a', image: 'a:1', env: env('C', 'A') },
            ]),
            by('two'),
          ),
        ),
      );
      await note(
        'another order',
        template(
          put(
            slim(ns, 'd', {}, [
              { name: 'b', image: 'b:1' },
              { name: 'a', image: 'a:1', env: env('B', 'A'), args: ['x', 'y'] },
            ]),
            by('one'),
          ),
        ),
      );
      await note('items left out', template(put(slim(ns, 'd', {}, [{ name: 'a', image: 'a:1', env: env('A') }]), by('one'))));
      await note('an item of another is left', template(put(slim(ns, 'd', {}, [{ name: 'a', image: 'a:1' }]), by('two'))));
      await note(
        'the same key twice',
        put(
          slim(ns, 'd', {}, [
            { name: 'a', image: 'a:1' },
            { name: 'a', image: 'a:2' },
          ]),
          by('one'),
        ),
      );
      await note('no key', put(slim(ns, 'd', {}, [{ image: 'a:1' }]), by('one')));
      const finalizers = (...names: string[]) => configMap(ns, 'f', {}, { finalizers: names });
      await note('set', seen(put(finalizers('test.io/a', 'test.io/b'), by('one'))));
      await note('set of another', seen(put(finalizers('test.io/c', 'test.io/b'), by('two'))));
      await note('set with less', seen(put(finalizers('test.io/b'), by('one'))));
      await cluster.patch({ ...CONFIG_MAP, namespace: ns, name: 'f' }, { type: 'merge', body: { metadata: { finalizers: null } } });
      const port = (more: object) => ({ name: 'p', port: 80, ...more });
      const service = (spec: object): KubeObject => ({
        ...SERVICE,
        metadata: { namespace: ns, name: 's' },
        spec: { clusterIP: 'None', selector: { app: 'a' }, ...spec },
      });
      await note('ports', seen(put(service({ ports: [port({}), port({ name: 'u', protocol: 'UDP' })] }), by('one'))));
      await note('a port more', seen(put(service({ ports: [port({ port: 81, name: 'q' })] }), by('two'))));
      await note('selector as a whole', put(service({ ports: [port({})], selector: { app: 'a', b: 'c' } }), by('two')));
    },
  },
  {
    title: '[cluster W4] what cannot be applied is refused with its reason',
    async play(scene) {
      const { cluster, ns, note } = scene;
      const put = applier(scene);
      const at = { ...CONFIG_MAP, namespace: ns, name: 'a' };
      const raw = (body: unknown, options: Partial<PatchOptions> = by('one')) => cluster.patch(at, { type: 'apply', body }, options);
      await note('no manager', raw(configMap(ns, 'a', { x: '1' }), {}));
      await note('another kind', raw({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a', namespace: ns } }));
      await note('another version', raw({ apiVersion: 'v2', kind: 'ConfigMap', metadata: { name: 'a', namespace: ns } }));
      await note('no kind', raw({ apiVersion: 'v1', metadata: { name: 'a', namespace: ns } }));
      await note('another name', raw(configMap(ns, 'b', { x: '1' })));
      await note('another namespace', raw({ ...CONFIG_MAP, metadata: { name: 'a', namespace: 'elsewhere' } }));
      await note('unknown field', raw({ ...configMap(ns, 'a'), datas: { x: '1' } }));
      await note('wrong type', raw({ ...configMap(ns, 'a'), data: { x: 1 } }));
      await note('wrong shape', raw({ ...configMap(ns, 'a'), data: ['x'] }));
      await note('number wanted', put(slim(ns, 'd', { replicas: 'two' }), by('one')));
      await note('owners said', raw(configMap(ns, 'a', {}, { managedFields: [{ manager: 'me' }] })));
      await note('invalid', put(slim(ns, 'd', { replicas: -1 }), by('one')));
      await note('incomplete', put({ ...DEPLOYMENT, metadata: { namespace: ns, name: 'd' }, spec: { replicas: 1 } }, by('one')));
      await note(
        'status of nobody',
        cluster.patch(
          { ...POD, namespace: ns, name: 'p' },
          { type: 'apply', body: { ...POD, metadata: { namespace: ns, name: 'p' } } },
          by('one', { subresource: 'status' }),
        ),
      );
      await cluster.create(configMap(ns, 'a', { x: '1' }), by('maker'));
      await note('stale version', raw(configMap(ns, 'a', { z: '1' }, { resourceVersion: '1' })));
      await note('another name of what is there', raw(configMap(ns, 'b', { z: '1' })));
    },
  },
  {
    title: '[cluster W4] a dry run says what would be, and changes nothing',
    async play(scene) {
      const { cluster, ns, note } = scene;
      const put = applier(scene);
      await note('of nothing', seen(put(configMap(ns, 'a', { x: '1' }), by('one', { dryRun: true }))));
      await note('still nobody', cluster.get({ ...CONFIG_MAP, namespace: ns, name: 'a' }));
      await put(configMap(ns, 'a', { x: '1' }), by('one'));
      await note('of a change', seen(put(configMap(ns, 'a', { x: '2' }), by('one', { dryRun: true }))));
      await note('conflict', put(configMap(ns, 'a', { x: '2' }), by('two', { dryRun: true })));
      await note('as it was', seen(cluster.get({ ...CONFIG_MAP, namespace: ns, name: 'a' })));
    },
  },
  {
    title: '[cluster W4] status is applied through its subresource',
    async play(scene) {
      const { cluster, ns, note } = scene;
      const pod = { ...POD, namespace: ns, name: 'p' };
      const spec = { schedulerName: 'none', containers: [{ name: 'main', image: 'web:1' }] };
      await cluster.create({ ...POD, metadata: { namespace: ns, name: 'p' }, spec }, by('maker'));
      const status = (body: object, who: string, more: Partial<PatchOptions> = {}) =>
        cluster.patch(
          pod,
          { type: 'apply', body: { ...POD, metadata: { namespace: ns, name: 'p' }, ...body } },
          by(who, { subresource: 'status', ...more }),
        );
      const at = '2020-01-01T00:00:00Z';
      const condition = (type: string, value: string) => ({ type, status: value, lastProbeTime: at, lastTransitionTime: at });
      const told = async (of: Promise<KubeObject>) => ({ status: (await of).status, owners: await owners(of) });
      await note('conditions', told(status({ status: { conditions: [condition('Ready', 'True')] } }, 'one')));
      await note('of another', told(status({ status: { conditions: [condition('Other', 'True')] } }, 'two')));
      await note('conflict', status({ status: { conditions: [condition('Ready', 'False')] } }, 'two'));
      await note(
        'spec in it is not taken',
        told(status({ spec: { containers: [{ name: 'main', image: 'no:1' }] }, status: { message: 'hm' } }, 'one')),
      );
      await cluster.delete(pod, { gracePeriodSeconds: 0 });
    },
  },
  {
    title: '[cluster W4] kubectl takes over what it applied from its own side before',
    async play(scene) {
      const { cluster, ns, note } = scene;
      const put = applier(scene);
      const key = 'kubectl.kubernetes.io/last-applied-configuration';
      const config = configMap(ns, 'a', { x: '1', y: '2' });
      const text = JSON.stringify(config);
      await cluster.create(
        configMap(ns, 'a', { x: '1', y: '2', z: '3' }, { annotations: { [key]: text } }),
        by('kubectl-client-side-apply'),
      );
      await note('another may not', put(configMap(ns, 'a', { x: '9' }), by('one')));
      await note('kubectl may', seen(put(configMap(ns, 'a', { x: '9', y: '2' }), by('kubectl'))));
      await note('but not what it had not applied', put(configMap(ns, 'a', { x: '9', z: '9' }), by('kubectl')));
    },
  },
  {
    title: '[cluster W4] what has no owners yet is owned by those before the first apply',
    async play(scene) {
      const { cluster, ns, note } = scene;
      const put = applier(scene);
      await cluster.create(configMap(ns, 'a', { x: '1', y: '2' }, { labels: { a: '1' } }), by('maker'));
      await cluster.patch({ ...CONFIG_MAP, namespace: ns, name: 'a' }, { type: 'merge', body: { metadata: { managedFields: [{}] } } });
      await note('conflict', put(configMap(ns, 'a', { x: '2' }), by('one')));
      await note('applied', seen(put(configMap(ns, 'a', { x: '1', z: '1' }), by('one'))));
      await cluster.create(deployment(ns, 'd', { paused: true, replicas: 0 }), by('maker'));
      await cluster.patch({ ...DEPLOYMENT, namespace: ns, name: 'd' }, { type: 'merge', body: { metadata: { managedFields: [{}] } } });
      await note('a deployment', owners(put(slim(ns, 'd', {}), by('one'))));
    },
  },
  customKindsApplied,
];
