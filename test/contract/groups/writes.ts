import { CONFIG_MAP, configMap, DEPLOYMENT, deployment, NAMESPACE, SECRET, SERVICE } from '../objects';
import type { ContractCase } from '../scene';

const service = (namespace: string, name: string, spec: object = {}) => ({
  ...SERVICE,
  metadata: { namespace, name },
  spec: { selector: { app: 'x' }, ports: [{ port: 80 }], ...spec },
});

// No controller of a bare control plane writes to an Ingress, so its versions are ours alone.
const INGRESS = { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress' } as const;
const ingress = (namespace: string) => ({
  ...INGRESS,
  metadata: { namespace, name: 'a' },
  spec: { defaultBackend: { service: { name: 'a', port: { number: 80 } } } },
});

export const writes: readonly ContractCase[] = [
  {
    title: '[cluster W1] a created object gets uid, version, time and, with a spec, generation 1',
    async play({ cluster, ns, note }) {
      await note('config map', cluster.create(configMap(ns, 'a', { x: '1' })));
      const stray = {
        uid: 'mine',
        resourceVersion: '',
        generation: 9,
        creationTimestamp: '2001-01-01T00:00:00Z',
        selfLink: '/x',
        deletionTimestamp: '2001-01-01T00:00:00Z',
      };
      await note('what the client may not say is not believed', cluster.create(configMap(ns, 'b', {}, stray)));
      await note('with a version', cluster.create(configMap(ns, 'c', {}, { resourceVersion: '5' })));
      await note('twice', cluster.create(configMap(ns, 'a')));
      await note('generated', cluster.create({ ...CONFIG_MAP, metadata: { namespace: ns, generateName: 'gen-' } }));
      await note(
        'dry run',
        cluster.create(configMap(ns, 'dry'), { dryRun: true }).then((object) => [object.metadata.name, typeof object.metadata.uid]),
      );
      await note('and it is not there', cluster.get({ ...CONFIG_MAP, namespace: ns, name: 'dry' }));
    },
  },
  {
    title: '[cluster W1] names are checked by the rules of the kind',
    async play({ cluster, ns, note }) {
      for (const name of ['Upper', 'under_score', '-dash', 'dot.ted', 'a'.repeat(254)])
        await note(`config map ${name.slice(0, 12)}`, cluster.create(configMap(ns, name)));
      for (const name of ['dot.ted', '1st', 'a'.repeat(64), 'ok'])
        await note(
          `service ${name.slice(0, 12)}`,
          cluster.create(service(ns, name), { dryRun: true }).then((object) => object.metadata.name),
        );
      for (const name of ['dot.ted', 'Upper'])
        await note(`namespace ${name}`, cluster.create({ ...NAMESPACE, metadata: { name } }, { dryRun: true }));
      await note('no name', cluster.create({ ...CONFIG_MAP, metadata: { namespace: ns } }));
      await note('a bad label key', cluster.create(configMap(ns, 'a', {}, { labels: { 'b a d': 'x' } })));
      await note('a bad label value', cluster.create(configMap(ns, 'a', {}, { labels: { ok: '-' } })));
      await note('a bad annotation', cluster.create(configMap(ns, 'a', {}, { annotations: { 'b a d': 'x' } })));
      await note('a bad finalizer', cluster.create(configMap(ns, 'a', {}, { finalizers: ['nope'] })));
      await note(
        'a bad owner',
        cluster.create(configMap(ns, 'a', {}, { ownerReferences: [{ apiVersion: 'v1', kind: '', name: '', uid: '' }] })),
      );
    },
  },
  {
    title: '[cluster W1] the namespace must be there',
    async play({ cluster, id, note }) {
      await note('missing', cluster.create(configMap(`no-${id}`, 'a')));
    },
  },
  {
    title: '[cluster W2] an update needs the present version, or none where that is allowed',
    async play({ cluster, ns, note }) {
      const first = await note('first', cluster.create(configMap(ns, 'a', { x: '1' })));
      await note('current', cluster.update({ ...first, data: { x: '2' } }));
      await note('stale', cluster.update({ ...first, data: { x: '3' } }));
      await note('without', cluster.update(configMap(ns, 'a', { x: '4' })));
      await note('another uid', cluster.update(configMap(ns, 'a', {}, { uid: '11111111-2222-3333-4444-555555555555' })));
      await note('nobody', cluster.update(configMap(ns, 'nobody')));
      await note('nobody with a version', cluster.update(configMap(ns, 'nobody', {}, { resourceVersion: '1' })));
    },
  },
  {
    title: '[cluster W2] a write that changes nothing keeps the version and is no event',
    async play({ cluster, ns, note, events }) {
      const first = await note('first', cluster.create(ingress(ns)));
      const at = { ...INGRESS, namespace: ns, name: 'a' };
      await note('updated', cluster.update(first));
      await note('updated without a version', cluster.update(ingress(ns)));
      await note('merged', cluster.patch(at, { type: 'merge', body: { spec: first.spec } }));
      await note('empty JSON patch', cluster.patch(at, { type: 'json', body: [] }));
      await cluster.delete(at);
      await note('events', events({ ...INGRESS, namespace: ns }, 1, { resourceVersion: first.metadata.resourceVersion ?? '' }));
    },
  },
  {
    title: '[cluster W2] generation grows with the spec and with nothing else',
    async play({ cluster, ns, note }) {
      await cluster.create(ingress(ns));
      const patch = async (body: object) =>
        (await cluster.patch({ ...INGRESS, namespace: ns, name: 'a' }, { type: 'merge', body })).metadata.generation;
      await note('label', patch({ metadata: { labels: { x: '1' } } }));
      await note('status, elsewhere', patch({ status: { loadBalancer: { ingress: [{ ip: '1.2.3.4' }] } } }));
      await note('spec', patch({ spec: { ingressClassName: 'x' } }));
      await note('annotation', patch({ metadata: { annotations: { x: '1' } } }));
      await note('said by the client', patch({ metadata: { generation: 9 } }));
    },
  },
  {
    title: '[cluster W2] status is written through its subresource only, and the subresource writes nothing else',
    async play({ cluster, ns, note }) {
      // No controller looks at a namespace's pods of an unknown scheduler, so the status is ours alone.
      const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { namespace: ns, name: 'p' } };
      const spec = {
        schedulerName: 'nobody',
        serviceAccountName: 'default',
        automountServiceAccountToken: false,
        containers: [{ name: 'main', image: 'x' }],
      };
      await note(
        'created with a status',
        cluster.create({ ...pod, spec, status: { phase: 'Running', message: 'mine' } }).then((object) => object.status),
      );
      const at = { ...pod, ...pod.metadata };
      const here = { apiVersion: 'v1', kind: 'Pod', namespace: ns, name: 'p' };
      await note(
        'patched',
        cluster.patch(here, { type: 'merge', body: { status: { message: 'mine' } } }).then((object) => object.status),
      );
      const body = { metadata: { labels: { x: '1' } }, spec: { schedulerName: 'other' }, status: { message: 'mine' } };
      const after = await cluster.patch(here, { type: 'merge', body }, { subresource: 'status' });
      await note('through the subresource', [
        after.status,
        after.metadata.labels ?? null,
        (after.spec as { schedulerName: string }).schedulerName,
      ]);
      await note(
        'read back',
        cluster.get(at, { subresource: 'status' }).then((object) => object.status),
      );
    },
  },
  {
    title: '[cluster W2] immutable fields are refused with their path',
    async play({ cluster, ns, note }) {
      const merge = (kind: { apiVersion: string; kind: string }, name: string, body: object) =>
        cluster.patch({ ...kind, namespace: ns, name }, { type: 'merge', body });
      await cluster.create(deployment(ns, 'a', { replicas: 0, paused: true }));
      await note(
        'selector',
        merge(DEPLOYMENT, 'a', { spec: { selector: { matchLabels: { app: 'b' } }, template: { metadata: { labels: { app: 'b' } } } } }),
      );
      await cluster.create(service(ns, 's'));
      await note('clusterIP', merge(SERVICE, 's', { spec: { clusterIP: '10.96.99.99', clusterIPs: ['10.96.99.99'] } }));
      await cluster.create({ ...configMap(ns, 'c', { x: '1' }), immutable: true });
      await note('immutable config map', merge(CONFIG_MAP, 'c', { data: { x: '2' } }));
      await note('its mark', merge(CONFIG_MAP, 'c', { immutable: null }));
      await note('its labels are free', merge(CONFIG_MAP, 'c', { metadata: { labels: { x: '1' } } }));
      await cluster.create({ ...SECRET, metadata: { namespace: ns, name: 's' }, stringData: { x: 'y' }, immutable: true });
      await note('immutable secret', merge(SECRET, 's', { data: { x: 'eg==' } }));
      await note('type of a secret', merge(SECRET, 's', { type: 'other' }));
      await note('name', merge(CONFIG_MAP, 'c', { metadata: { name: 'd' } }));
      await note('namespace', merge(CONFIG_MAP, 'c', { metadata: { namespace: 'd' } }));
      await note('uid', merge(CONFIG_MAP, 'c', { metadata: { uid: 'd' } }));
    },
  },
  {
    title: '[cluster H5] unknown fields: dropped, warned of, or refused',
    async play({ cluster, ns, note }) {
      const odd = (name: string) => ({ ...deployment(ns, name, { replicas: 0, paused: true, replica: 3 }), extra: true });
      for (const fieldValidation of ['Ignore', 'Warn', 'Strict'] as const) {
        const warnings: string[] = [];
        await note(
          fieldValidation,
          cluster
            .create(odd(fieldValidation.toLowerCase()), { fieldValidation, onWarning: (text) => warnings.push(text) })
            .then((object) => Object.keys(object)),
        );
        await note(`${fieldValidation} warnings`, warnings);
      }
      await note('mistyped', cluster.create(deployment(ns, 'm', { replicas: 'two' })));
      await note('no object', cluster.create({ ...configMap(ns, 'm'), data: 'text' }));
    },
  },
  {
    title: '[cluster W6] built-in kinds are checked',
    async play({ cluster, ns, note }) {
      await note('empty deployment', cluster.create({ ...DEPLOYMENT, metadata: { namespace: ns, name: 'x' }, spec: {} }));
      await note('selector that does not match', cluster.create(deployment(ns, 'x', { selector: { matchLabels: { app: 'other' } } })));
      await note('negative replicas', cluster.create(deployment(ns, 'x', { replicas: -1 })));
      await note('no image', cluster.create(deployment(ns, 'x', {}, '')));
      await note('service without ports', cluster.create({ ...SERVICE, metadata: { namespace: ns, name: 'x' }, spec: {} }));
      await note('secret that is no base64', cluster.create({ ...SECRET, metadata: { namespace: ns, name: 'x' }, data: { x: '???' } }));
      await note('config map key', cluster.create(configMap(ns, 'x', { 'b a d': 'x' })));
    },
  },
];
