import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readField } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { parseApplication, render } from '@/server/application';
import { hashOf } from '@/server/application/revision';

import { planIn } from './plan-in';

const application = (components: object[], policies: object[] = [], metadata: object = {}): KubeObject => ({
  ...KINDS.application,
  metadata: { name: 'shopfront', namespace: 'shop', uid: 'u1', ...metadata },
  spec: { components, policies },
});
const web = (properties: object = {}, traits: object[] = []) => ({
  name: 'web',
  type: 'webservice',
  properties: { image: 'web:1', ...properties },
  traits,
});
const rendered = (components: object[], policies: object[] = [], metadata: object = {}) =>
  render(parseApplication(application(components, policies, metadata)), 'shopfront-v3', { revisionHash: 'h' });
const only = (components: object[], kind: string) => rendered(components).manifests.find((one) => one.kind === kind);

describe('webservice', () => {
  it('[dispatch R2] takes the parameters of the original to a Deployment of one container', () => {
    const deployment = only(
      [
        web({
          cmd: ['serve'],
          env: [
            { name: 'MODE', value: 'fast' },
            { name: 'KEY', valueFrom: { secretKeyRef: { name: 'keys', key: 'k' } } },
          ],
          cpu: '0.5',
          memory: '64Mi',
          imagePullPolicy: 'Always',
          imagePullSecrets: ['pull'],
          ports: [{ port: 8080 }, { port: 53, protocol: 'UDP', name: 'dns' }],
          readinessProbe: { httpGet: { path: '/ready', port: 8080 } },
          volumeMounts: { pvc: [{ name: 'data', mountPath: '/data', claimName: 'claim' }], emptyDir: [{ name: 'tmp', mountPath: '/tmp' }] },
          annotations: { note: 'pod' },
        }),
      ],
      'Deployment',
    );
    const amounts = { cpu: '0.5', memory: '64Mi' };
    expect(deployment?.spec).toEqual({
      selector: { matchLabels: { 'app.oam.dev/component': 'web' } },
      template: {
        metadata: { labels: { 'app.oam.dev/name': 'shopfront', 'app.oam.dev/component': 'web' }, annotations: { note: 'pod' } },
        spec: {
          containers: [
            {
              name: 'web',
              image: 'web:1',
              imagePullPolicy: 'Always',
              command: ['serve'],
              env: [
                { name: 'MODE', value: 'fast' },
                { name: 'KEY', valueFrom: { secretKeyRef: { name: 'keys', key: 'k' } } },
              ],
              ports: [
                { containerPort: 8080, protocol: 'TCP', name: 'port-8080' },
                { containerPort: 53, protocol: 'UDP', name: 'dns' },
              ],
              resources: { limits: amounts, requests: amounts },
              volumeMounts: [
                { name: 'data', mountPath: '/data' },
                { name: 'tmp', mountPath: '/tmp' },
              ],
              readinessProbe: {
                httpGet: { path: '/ready', port: 8080 },
                initialDelaySeconds: 0,
                periodSeconds: 10,
                timeoutSeconds: 1,
                successThreshold: 1,
                failureThreshold: 3,
              },
            },
          ],
          imagePullSecrets: [{ name: 'pull' }],
          volumes: [
            { name: 'data', persistentVolumeClaim: { claimName: 'claim' } },
            { name: 'tmp', emptyDir: {} },
          ],
        },
      },
    });
  });

  it('[dispatch R2] exposed ports and an expose trait come to one Service with the ports of both', () => {
    const services = rendered([
      web({ ports: [{ port: 80, expose: true }, { port: 81 }] }, [
        { type: 'expose', properties: { port: [80, 9090], type: 'LoadBalancer' } },
      ]),
    ]).manifests.filter(({ kind }) => kind === 'Service');
    expect(services).toHaveLength(1);
    expect(services[0]?.spec).toEqual({
      type: 'LoadBalancer',
      selector: { 'app.oam.dev/component': 'web' },
      ports: [
        { name: 'port-80', port: 80, targetPort: 80 },
        { name: 'port-9090', port: 9090, targetPort: 9090 },
      ],
    });
    expect(services[0]?.metadata.labels).toMatchObject({ 'app.oam.dev/resourceType': 'TRAIT', 'trait.oam.dev/type': 'expose' });
  });

  it('[dispatch 3] every object carries where it comes from, the stamp, and the labels of the application but not its own annotations', () => {
    const object = rendered([web()], [], {
      labels: { team: 'a' },
      annotations: {
        owner: 'b',
        'kubectl.kubernetes.io/last-applied-configuration': '{}',
        'app.oam.dev/rollout-template': 'true',
        // Copies of the manifest by other tools tell the values that it had.
        'kapp.k14s.io/original': '{"kind":"Secret","stringData":{"key":"value"}}',
        'objectset.rio.cattle.io/applied': 'H4sIAAAAAAAA',
      },
    }).manifests[0];
    expect(object?.metadata.labels).toEqual({
      team: 'a',
      'app.oam.dev/name': 'shopfront',
      'app.oam.dev/namespace': 'shop',
      'app.oam.dev/component': 'web',
      'app.oam.dev/appRevision': 'shopfront-v3',
      'app.oam.dev/app-revision-hash': 'h',
      'app.oam.dev/resourceType': 'WORKLOAD',
      'workload.oam.dev/type': 'webservice',
    });
    expect(object?.metadata.annotations).toEqual({ owner: 'b', 'oam.dev/kubevela-version': 'slipway' });
  });
});

describe('other components and traits', () => {
  it('[dispatch R2] k8s-objects are taken as they are, into the namespace of the application unless they name one', () => {
    const objects = [
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'here' } },
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'there', namespace: 'other' } },
    ];
    expect(
      rendered([{ name: 'set', type: 'k8s-objects', properties: { objects } }]).manifests.map(
        ({ metadata }) => `${metadata.namespace}/${metadata.name}`,
      ),
    ).toEqual(['shop/here', 'other/there']);
  });

  it.each([
    ['no kind', { apiVersion: 'v1', metadata: { name: 'here' } }, 'objects[1].kind'],
    ['an empty apiVersion', { apiVersion: '', kind: 'ConfigMap', metadata: { name: 'here' } }, 'objects[1].apiVersion'],
    ['no metadata', { apiVersion: 'v1', kind: 'ConfigMap' }, 'objects[1].metadata'],
    ['a number for a name', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 7 } }, 'objects[1].metadata.name'],
    [
      'no text for a namespace',
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'here', namespace: null } },
      'objects[1].metadata.namespace',
    ],
    ['text', 'ConfigMap', 'objects[1]'],
  ])('[dispatch R2] k8s-objects refuse what is no manifest, and name the field: %s', (_what, object, field) => {
    const objects = [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'first' } }, object];
    expect(() => rendered([{ name: 'set', type: 'k8s-objects', properties: { objects } }])).toThrow(
      `spec.components[0].properties.${field} `,
    );
    expect(() => rendered([{ name: 'set', type: 'k8s-objects', properties: { objects: [], more: 1 } }])).toThrow(
      'spec.components[0].properties',
    );
  });

  it('[dispatch R2] labels and annotations go on workload and pods', () => {
    const deployment = only(
      [
        web({}, [
          { type: 'labels', properties: { tier: 'front' } },
          { type: 'annotations', properties: { note: 'x' } },
        ]),
      ],
      'Deployment',
    );
    expect([deployment?.metadata.labels?.tier, deployment?.metadata.annotations?.note]).toEqual(['front', 'x']);
    expect(readField(deployment, 'spec', 'template', 'metadata')).toMatchObject({ labels: { tier: 'front' }, annotations: { note: 'x' } });
  });

  it('[dispatch R2] a worker has no Service', () => {
    expect(rendered([{ name: 'jobs', type: 'worker', properties: { image: 'jobs:1' } }]).manifests.map(({ kind }) => kind)).toEqual([
      'Deployment',
    ]);
  });

  it('[design 13 O] only the component of the policy is named by revision', () => {
    const result = rendered(
      [web({}, [{ type: 'scaler', properties: { replicas: 4 } }]), { name: 'jobs', type: 'worker', properties: { image: 'j' } }],
      [{ type: 'rollout', properties: { component: 'web' } }],
    );
    expect(result.workloads).toEqual({
      web: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web-v3', staged: true, scale: { minScale: 4, maxScale: 4 } },
      jobs: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'jobs', staged: false, scale: {} },
    });
  });
});

describe('revisions and previews', () => {
  it('[dispatch R1] the hash is that of the components: key order and policies do not matter', () => {
    const hash = (object: KubeObject) => hashOf(parseApplication(object));
    expect(hash(application([{ type: 'webservice', properties: { image: 'web:1' }, name: 'web', traits: [] }]))).toBe(
      hash(application([web()])),
    );
    expect(hash(application([web()], [{ type: 'rollout' }]))).toBe(hash(application([web()])));
    expect(hash(application([web({ image: 'web:2' })]))).not.toBe(hash(application([web()])));
  });

  it('[dispatch R2] rendering is pure: the same revision gives the same manifests, and nothing is shared with the input', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 50 }),
        fc.array(fc.integer({ min: 1, max: 65_535 }), { minLength: 1, maxLength: 4 }),
        (replicas, ports) => {
          const input = application([
            web({}, [
              { type: 'scaler', properties: { replicas } },
              { type: 'expose', properties: { port: [...new Set(ports)] } },
            ]),
          ]);
          const before = structuredClone(input);
          const twice = [1, 2].map(() => render(parseApplication(input), 'shopfront-v1', { revisionHash: 'h' }));
          expect(twice[0]).toEqual(twice[1]);
          expect(input).toEqual(before);
        },
      ),
    );
  });

  it('[design 9] a preview says the next revision and what would go', async () => {
    const labels = { 'app.oam.dev/name': 'shopfront', 'app.oam.dev/namespace': 'shop' };
    const deployment = { apiVersion: 'apps/v1', kind: 'Deployment' };
    const entries = ['web', 'gone'].map((name) => ({ ...deployment, name, namespace: 'shop', component: 'web' }));
    const tracker = {
      ...KINDS.resourceTracker,
      metadata: { name: 'shopfront-v0-shop', uid: 't0', labels },
      spec: { type: 'versioned', managedResources: entries },
    };
    const live = ['web', 'gone'].map((name) => ({ ...deployment, metadata: { name, namespace: 'shop', uid: name, labels } }));
    const { plan } = await planIn([tracker, ...live], application([web({ image: 'web:2' })]));
    expect(plan.revision).toEqual({ name: 'shopfront-v1', isNew: true });
    expect(plan.objects.map(({ id, uid, verdict }) => [id, uid, verdict])).toEqual([
      ['Deployment.apps/shop/web', 'web', 'changed'],
      ['Deployment.apps/shop/gone', 'gone', 'deleted'],
    ]);
  });

  const revisionOf = (uid: string, number: number, object: KubeObject): KubeObject => ({
    ...KINDS.applicationRevision,
    metadata: {
      name: `shopfront-v${number}`,
      namespace: 'shop',
      labels: { 'app.oam.dev/name': 'shopfront', 'app.oam.dev/app-revision-hash': hashOf(parseApplication(object)) },
      ownerReferences: [{ ...KINDS.application, name: 'shopfront', uid }],
    },
    spec: { application: object },
  });

  it.each([
    ['its own newest revision, which says the same', 'u1', { name: 'shopfront-v2', isNew: false }, []],
    [
      'one of a former application of its name: it takes the number and is not used',
      'former',
      { name: 'shopfront-v3', isNew: true },
      ['web'],
    ],
  ])('[dispatch R1] a preview and what a person answers for go by %s', async (_whose, uid, revision, written) => {
    const object = application([web()]);
    const revisions = [revisionOf(uid, 2, object)];
    const { plan, needed } = await planIn(revisions, object);
    expect(plan.revision).toEqual(revision);
    expect((needed?.written ?? []).map((one) => one.object.metadata.name)).toEqual(written);
  });
});
