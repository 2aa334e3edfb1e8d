import { getCondition } from '@/lib/kube/condition';
import { readField, readNumber } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import { CONFIG_MAP, configMap, DEPLOYMENT, deployment, NAMESPACE, POD, SECRET, SERVICE } from '../objects';
import type { ContractCase } from '../scene';

const INGRESS = { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress' } as const;
const ROLE = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role' } as const;
const JOB = { apiVersion: 'batch/v1', kind: 'Job' } as const;
const CRON_JOB = { apiVersion: 'batch/v1', kind: 'CronJob' } as const;
const CLAIM = { apiVersion: 'v1', kind: 'PersistentVolumeClaim' } as const;
const AUTOSCALER = { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler' } as const;
const BUDGET = { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget' } as const;
const LEASE = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' } as const;
const SLICE = { apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice' } as const;
const EVENT = { apiVersion: 'v1', kind: 'Event' } as const;
const STATEFUL_SET = { apiVersion: 'apps/v1', kind: 'StatefulSet' } as const;

/**
 * Who set what, under a name that is not masked. Entries are told by name, since their order is that of their seconds; those of controllers,
 * which come when they come, are left out.
 */
export async function owners(outcome: Promise<KubeObject> | KubeObject): Promise<unknown> {
  const entries = (await outcome).metadata.managedFields as readonly Readonly<Record<string, string>>[] | undefined;
  const nameOf = ({ manager = '', operation = '', apiVersion = '', subresource = '' }: Readonly<Record<string, string>>) =>
    [manager, operation, apiVersion, subresource].join('/');
  const told = entries?.filter(({ manager }) => manager !== 'kube-controller-manager');
  return told?.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1)) ?? 'nobody';
}

const TIME = '2020-01-01T00:00:00Z';
const by = (fieldManager: string) => ({ fieldManager });

export const ownership: readonly ContractCase[] = [
  {
    title: '[cluster W4] whoever creates an object owns what was said and what was filled in for it',
    async play({ cluster, ns, note }) {
      const create = (object: KubeObject) => owners(cluster.create(object, by('maker')));
      const meta = (name: string) => ({ namespace: ns, name });
      const container = (more: object = {}) => ({ name: 'main', image: 'web:1', ...more });
      await note(
        'config map',
        create(
          configMap(ns, 'a', { x: '1', 'a.b/c': '2' }, { labels: { l: '1' }, annotations: { 'a/b': '2' }, finalizers: ['test.io/f'] }),
        ),
      );
      await note('empty', create(configMap(ns, 'empty')));
      await note('secret', create({ ...SECRET, metadata: meta('a'), stringData: { x: '1' }, data: { y: 'MQ==' } }));
      await note('generated', create({ ...CONFIG_MAP, metadata: { namespace: ns, generateName: 'g-' }, immutable: true }));
      const probe = { httpGet: { path: '/', port: 8080 } };
      const main = container({
        ports: [{ containerPort: 80 }, { containerPort: 80, protocol: 'UDP', name: 'udp' }],
        env: [
          { name: 'A', value: '1' },
          { name: 'B', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
        ],
        resources: { limits: { cpu: '1000m' }, requests: { memory: '64Mi' } },
        volumeMounts: [{ name: 'v', mountPath: '/v' }],
        readinessProbe: probe,
        command: ['a', 'b'],
      });
      const podSpec = {
        containers: [main, container({ name: 'side' })],
        volumes: [{ name: 'v', emptyDir: {} }],
        tolerations: [{ operator: 'Exists' }],
        nodeSelector: { no: 'where' },
      };
      await note('pod', create({ ...POD, metadata: { ...meta('a'), labels: { app: 'a' } }, spec: podSpec, status: { phase: 'Running' } }));
      const template = { metadata: { labels: { app: 'a' }, annotations: { x: 'y' } }, spec: podSpec };
      await note('deployment', create(deployment(ns, 'a', { paused: true, template, selector: { matchLabels: { app: 'a' } } })));
      await note(
        'service',
        create({
          ...SERVICE,
          metadata: meta('a'),
          spec: {
            selector: { app: 'a' },
            ports: [{ port: 80 }, { port: 80, protocol: 'UDP', name: 'udp', targetPort: 'x' }].map((port, at) => ({
              name: `p${at}`,
              ...port,
            })),
          },
        }),
      );
      await note(
        'ingress',
        create({
          ...INGRESS,
          metadata: meta('a'),
          spec: {
            rules: [
              {
                host: 'a.example',
                http: { paths: [{ path: '/', pathType: 'Prefix', backend: { service: { name: 'a', port: { number: 80 } } } }] },
              },
            ],
          },
        }),
      );
      await note('role', create({ ...ROLE, metadata: meta('a'), rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }] }));
      await note(
        'job',
        create({
          ...JOB,
          metadata: meta('a'),
          spec: { suspend: true, template: { spec: { containers: [container()], restartPolicy: 'Never' } } },
        }),
      );
      await note(
        'cron job',
        create({
          ...CRON_JOB,
          metadata: meta('a'),
          spec: {
            suspend: true,
            schedule: '0 0 * * *',
            jobTemplate: { spec: { template: { spec: { containers: [container()], restartPolicy: 'Never' } } } },
          },
        }),
      );
      await note(
        'claim',
        create({
          ...CLAIM,
          metadata: meta('a'),
          spec: { storageClassName: 'none', accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
        }),
      );
      await note(
        'autoscaler',
        create({
          ...AUTOSCALER,
          metadata: meta('a'),
          spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'nobody' } },
        }),
      );
      await note(
        'budget',
        create({ ...BUDGET, metadata: meta('a'), spec: { minAvailable: 1, selector: { matchLabels: { app: 'nobody' } } } }),
      );
      await note('lease', create({ ...LEASE, metadata: meta('a'), spec: { holderIdentity: 'me', leaseDurationSeconds: 5 } }));
      await note(
        'slice',
        create({ ...SLICE, metadata: meta('a'), addressType: 'IPv4', endpoints: [{ addresses: ['10.0.0.1'] }], ports: [{ port: 80 }] }),
      );
      await note(
        'event',
        create({
          ...EVENT,
          metadata: meta('a'),
          involvedObject: { kind: 'Pod', namespace: ns, name: 'a' },
          reason: 'Seen',
          type: 'Normal',
          source: { component: 'test' },
        }),
      );
      await note(
        'stateful set',
        create({
          ...STATEFUL_SET,
          metadata: meta('a'),
          spec: {
            replicas: 0,
            serviceName: 'a',
            selector: { matchLabels: { app: 's' } },
            template: { metadata: { labels: { app: 's' } }, spec: { containers: [container()] } },
          },
        }),
      );
    },
  },
  {
    title: '[cluster W4] whoever changes a field takes it; a field set to what it is stays with whom it was',
    async play({ cluster, ns, note }) {
      const at = { ...CONFIG_MAP, namespace: ns, name: 'a' };
      await note('created', owners(cluster.create(configMap(ns, 'a', { x: '1', y: '2', z: '3' }, { labels: { a: '1' } }), by('one'))));
      await note('changed', owners(cluster.update(configMap(ns, 'a', { x: '9', y: '2' }, { labels: { a: '1', b: '2' } }), by('two'))));
      const same = await cluster.get(at);
      const again = await cluster.update(configMap(ns, 'a', { x: '9', y: '2' }, { labels: { a: '1', b: '2' } }), by('three'));
      await note('the same again', [again.metadata.resourceVersion === same.metadata.resourceVersion, await owners(again)]);
      await note('merge', owners(cluster.patch(at, { type: 'merge', body: { data: { x: null, y: '2', w: '1' } } }, by('merger'))));
      await note(
        'strategic',
        owners(cluster.patch(at, { type: 'strategic', body: { metadata: { finalizers: ['test.io/a'] } } }, by('strategist'))),
      );
      await note(
        'json',
        owners(cluster.patch(at, { type: 'json', body: [{ op: 'replace', path: '/data/y', value: 'json' }] }, by('json'))),
      );
      await note(
        'all of it gone',
        owners(cluster.patch(at, { type: 'merge', body: { data: null, metadata: { labels: null, finalizers: null } } }, by('cleaner'))),
      );
      await note('and new', owners(cluster.patch(at, { type: 'merge', body: { data: { n: '1' } } }, by('cleaner'))));
    },
  },
  {
    title: '[cluster W4] items of lists are owned by their keys, those of a set by themselves, others as a whole',
    async play({ cluster, ns, note }) {
      const at = { ...DEPLOYMENT, namespace: ns, name: 'a' };
      await cluster.create(deployment(ns, 'a', { paused: true, replicas: 0 }), by('maker'));
      const change = (containers: readonly object[]) =>
        ({ type: 'strategic', body: { spec: { template: { spec: { containers } } } } }) as const;
      await note(
        'another container',
        owners(cluster.patch(at, change([{ name: 'side', image: 'side:1', env: [{ name: 'A', value: '1' }] }]), by('sider'))),
      );
      await note('its image', owners(cluster.patch(at, change([{ name: 'side', image: 'side:2', args: ['a'] }]), by('imager'))));
      await note(
        'one more variable',
        owners(cluster.patch(at, change([{ name: 'side', env: [{ name: 'B', value: '1' }], args: ['a', 'b'] }]), by('enver'))),
      );
      await note(
        'taken away',
        owners(
          cluster.patch(
            at,
            { type: 'strategic', body: { spec: { template: { spec: { containers: [{ $patch: 'delete', name: 'side' }] } } } } },
            by('remover'),
          ),
        ),
      );
      await cluster.create(configMap(ns, 'f', {}, { finalizers: ['test.io/a', 'test.io/b'] }), by('maker'));
      const finalizers = (...names: string[]) =>
        cluster.patch(
          { ...CONFIG_MAP, namespace: ns, name: 'f' },
          { type: 'merge', body: { metadata: { finalizers: names } } },
          by('other'),
        );
      await note('set', owners(finalizers('test.io/b', 'test.io/c')));
      await finalizers();
    },
  },
  {
    title: '[cluster W4] status and scale are owned through their subresources',
    async play({ cluster, ns, until, note }) {
      const at = { ...DEPLOYMENT, namespace: ns, name: 'a' };
      await cluster.create({ ...deployment(ns, 'a', { paused: true, replicas: 0 }), status: { replicas: 7 } } as KubeObject, by('maker'));
      // A write of the controller after the first scale would make one of the two entries of the maker that it leaves.
      await until('its controller has nothing more to say', async () => {
        const live = await cluster.get(at);
        return (
          readNumber(live, 'status', 'observedGeneration') === 1 &&
          readField(getCondition(live, 'Progressing'), 'reason') === 'DeploymentPaused'
        );
      });
      const scale = (replicas: number, who: string) =>
        cluster.patch(at, { type: 'merge', body: { spec: { replicas } } }, { subresource: 'scale', ...by(who) });
      await scale(0, 'nothing');
      await note('scaled to what it is', owners(cluster.get(at)));
      await scale(1, 'scaler');
      await note('scaled', owners(cluster.get(at)));
      await scale(2, 'scaler');
      await note('scaled again', owners(cluster.get(at)));
      await scale(3, 'other');
      await note('scaled by another', owners(cluster.get(at)));
      await note(
        'scaled by a patch of the whole',
        owners(cluster.patch(at, { type: 'merge', body: { spec: { replicas: 1 } } }, by('maker'))),
      );
      await scale(0, 'scaler');
      await note('scaled to nothing', owners(cluster.get(at)));
      const pod = { ...POD, namespace: ns, name: 'p' };
      await cluster.create(
        {
          ...POD,
          metadata: { namespace: ns, name: 'p' },
          spec: { nodeSelector: { no: 'where' }, schedulerName: 'none', containers: [{ name: 'main', image: 'web:1' }] },
        },
        by('maker'),
      );
      const status = {
        conditions: [{ type: 'Ready', status: 'True', lastProbeTime: TIME, lastTransitionTime: TIME }],
        podIP: '10.0.0.1',
        podIPs: [{ ip: '10.0.0.1' }],
        containerStatuses: [{ name: 'main', ready: true, restartCount: 0, image: 'web:1', imageID: '', state: { running: {} } }],
      };
      await note(
        'status',
        owners(
          cluster.patch(
            pod,
            { type: 'strategic', body: { status, spec: { containers: [{ name: 'main', image: 'not:taken' }] } } },
            { subresource: 'status', ...by('node') },
          ),
        ),
      );
      await note(
        'status of the whole is not taken',
        owners(cluster.patch(pod, { type: 'merge', body: { status: { message: 'no' } } }, by('other'))),
      );
      const ready = { type: 'strategic', body: { status: { conditions: [{ type: 'Ready', status: 'False' }] } } } as const;
      await note('status of another', owners(cluster.patch(pod, ready, { subresource: 'status', ...by('other') })));
      await cluster.delete(pod, { gracePeriodSeconds: 0 });
    },
  },
  {
    title: '[cluster W4] a request may write the entries themselves, and do away with them',
    async play({ cluster, ns, note }) {
      const at = { ...CONFIG_MAP, namespace: ns, name: 'a' };
      const entry = (manager: string, more: object = {}) => ({
        manager,
        operation: 'Update',
        apiVersion: 'v1',
        time: '2020-01-01T00:00:00Z',
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:data': { 'f:x': {} } },
        ...more,
      });
      await note('created with', owners(cluster.create(configMap(ns, 'a', { x: '1' }, { managedFields: [entry('said')] }), by('maker'))));
      const write = (managedFields: unknown, who: string, data: object = {}) =>
        owners(cluster.patch(at, { type: 'merge', body: { metadata: { managedFields }, data } }, by(who)));
      await note('replaced', write([entry('a'), entry('b', { operation: 'Apply' })], 'x'));
      await note('and changed with it', write([entry('a')], 'x', { x: '2' }));
      await note('no such operation', write([entry('a', { operation: 'Sing' })], 'x'));
      await note('no type', write([entry('a', { fieldsType: undefined })], 'x'));
      await note('left out', owners(cluster.update(configMap(ns, 'a', { x: '3' }), by('updater'))));
      await note('reset by an empty entry', write([{}], 'x'));
      await note('nobody is kept after', write(undefined, 'x', { y: '1' }));
      await cluster.create(configMap(ns, 'b', { x: '1' }), by('maker'));
      await note('reset by an empty list', owners(cluster.update(configMap(ns, 'b', { x: '1' }, { managedFields: [] }), by('x'))));
      await cluster.create(configMap(ns, 'c', { x: '1' }), by('maker'));
      await note(
        'null is nothing said',
        owners(cluster.patch({ ...at, name: 'c' }, { type: 'merge', body: { metadata: { managedFields: null } } }, by('x'))),
      );
    },
  },
  {
    title: '[cluster W4] the oldest of more than ten managers become one',
    async play({ cluster, ns, note }) {
      const old = (name: string, at: number) => ({
        manager: name,
        operation: 'Update',
        apiVersion: 'v1',
        time: `2020-01-${String(at).padStart(2, '0')}T00:00:00Z`,
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:data': { [`f:${name}`]: {} } },
      });
      const names = Array.from({ length: 10 }, (_, index) => `m${index}`);
      const data = Object.fromEntries(names.map((name) => [name, '1']));
      const managedFields = names.map((name, index) => old(name, index + 1));
      const at = { ...CONFIG_MAP, namespace: ns, name: 'a' };
      await note('ten', owners(cluster.create(configMap(ns, 'a', data, { managedFields }), by('m9'))));
      await note('eleven', owners(cluster.patch(at, { type: 'merge', body: { data: { e: '1' } } }, by('eleventh'))));
      await note('twelve', owners(cluster.patch(at, { type: 'merge', body: { data: { t: '1' } } }, by('twelfth'))));
    },
  },
  {
    title: '[cluster H5] the manager of fields is told by the request, and checked',
    async play({ cluster, ns, note }) {
      await note('too long', cluster.create(configMap(ns, 'a'), by('x'.repeat(129))));
      await note('not printable', cluster.create(configMap(ns, 'a'), by('a\tb')));
      await cluster.create(configMap(ns, 'a', { x: '1' }), by('one'));
      const headers = { 'content-type': 'application/merge-patch+json', 'user-agent': 'probe/v1.2 (linux) more/3' };
      const path = `/api/v1/namespaces/${ns}/configmaps/a`;
      const { body } = await cluster.request({ method: 'PATCH', path, headers, body: '{"data":{"y":"1"}}' });
      for await (const _chunk of body);
      await note('by the program', owners(cluster.get({ ...CONFIG_MAP, namespace: ns, name: 'a' })));
      const forced = cluster.request({ method: 'PATCH', path: `${path}?force=true`, headers, body: '{}' });
      await note(
        'force is for apply',
        forced.then(({ status }) => status),
      );
      const update = { type: 'merge', body: {} } as const;
      await note('too long for a patch', cluster.patch({ ...CONFIG_MAP, namespace: ns, name: 'a' }, update, by('x'.repeat(129))));
      await note('namespace', owners(cluster.get({ ...NAMESPACE, name: ns })));
    },
  },
];
