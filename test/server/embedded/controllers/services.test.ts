import { expect, it } from 'vitest';
import { readFields, readList, readString } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import { aDeployment, aTemplate, DEPLOYMENT, Plane, POD } from './plane';

const SERVICE = { apiVersion: 'v1', kind: 'Service' };
const SLICE = { apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice' };
const ENDPOINTS = { apiVersion: 'v1', kind: 'Endpoints' };

const aService = (spec: Record<string, unknown> = {}): KubeObject => ({
  ...SERVICE,
  metadata: { name: 'web', namespace: 'shop', labels: { tier: 'svc' } },
  spec: { selector: { app: 'web' }, ports: [{ name: 'http', port: 80, targetPort: 8080, protocol: 'TCP' }], ...spec },
});
const endpoints = (plane: Plane) => plane.host.list(SLICE).flatMap((slice) => readList(slice, 'endpoints'));
const conditions = (plane: Plane) => endpoints(plane).map((endpoint) => readFields(endpoint, 'conditions'));
const fine = { ready: true, serving: true, terminating: false };

it('[cluster K] a Service has an EndpointSlice of its pods, as recorded', async () => {
  await using plane = new Plane();
  await plane.create(aService());
  await plane.create(aDeployment({ replicas: 1 }));
  await plane.advance(1000);
  const [slice] = plane.host.list(SLICE);
  const [pod] = plane.pods();
  expect(slice).toMatchObject({
    metadata: {
      generateName: 'web-',
      labels: {
        'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io',
        'kubernetes.io/service-name': 'web',
        tier: 'svc',
      },
      ownerReferences: [{ apiVersion: 'v1', kind: 'Service', name: 'web', controller: true, blockOwnerDeletion: true }],
    },
    addressType: 'IPv4',
    ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
  });
  const targetRef = { kind: 'Pod', name: pod?.metadata.name, namespace: 'shop', uid: pod?.metadata.uid };
  expect(endpoints(plane)).toEqual([{ addresses: ['10.244.0.1'], conditions: fine, nodeName: 'node-1', targetRef }]);
  expect(plane.require(ENDPOINTS, 'web')).toMatchObject({
    metadata: { labels: { 'endpoints.kubernetes.io/managed-by': 'endpoint-controller', tier: 'svc' } },
    subsets: [{ addresses: [{ ip: '10.244.0.1', nodeName: 'node-1', targetRef }], ports: [{ name: 'http', port: 8080, protocol: 'TCP' }] }],
  });
});

it('[cluster K] a pod is in the slice while it starts, serves, and goes', async () => {
  await using plane = new Plane();
  await plane.create(aService());
  await plane.create(aDeployment({ replicas: 1, template: aTemplate({ annotations: { 'sim.slipway.dev/start': '2s' } }) }));
  await plane.advance(1500);
  expect(conditions(plane)).toEqual([{ ready: false, serving: false, terminating: false }]);
  expect(readList(plane.require(ENDPOINTS, 'web'), 'subsets', 0, 'notReadyAddresses')).toHaveLength(1);
  await plane.advance(1500);
  expect(conditions(plane)).toEqual([fine]);
  await plane.patch(DEPLOYMENT, 'web', { spec: { replicas: 0 } });
  await plane.advance(50);
  expect(conditions(plane)).toEqual([{ ready: false, serving: true, terminating: true }]);
  await plane.advance(1000);
  expect(endpoints(plane)).toEqual([]);
  expect(plane.host.list(SLICE)).toHaveLength(1);
});

it('[cluster K] slices hold a hundred endpoints each, and a kept pod keeps its place', async () => {
  await using plane = new Plane();
  await plane.create(aService());
  await plane.create(aDeployment({ replicas: 250 }));
  await plane.advance(2000);
  const sizes = () => plane.host.list(SLICE).map((slice) => readList(slice, 'endpoints').length);
  expect(sizes().reduce((total, size) => total + size, 0)).toBe(250);
  expect(Math.max(...sizes())).toBeLessThanOrEqual(100);
  await plane.patch(DEPLOYMENT, 'web', { spec: { replicas: 10 } });
  await plane.advance(2000);
  expect(endpoints(plane)).toHaveLength(10);
  expect(new Set(endpoints(plane).map((endpoint) => readString(endpoint, 'targetRef', 'uid')))).toEqual(
    new Set(plane.pods().map((pod) => pod.metadata.uid)),
  );
});

it('[cluster K] named ports are those of the pods, headless Services are marked, and their slices go with them', async () => {
  await using plane = new Plane();
  await plane.create(aService({ clusterIP: 'None', ports: [{ port: 80, targetPort: 'web' }] }));
  const container = { name: 'c', image: 'nginx:1', ports: [{ name: 'web', containerPort: 9000 }] };
  await plane.create({ ...POD, metadata: { name: 'one', namespace: 'shop', labels: { app: 'web' } }, spec: { containers: [container] } });
  await plane.advance(1000);
  expect(plane.host.list(SLICE)).toMatchObject([
    { metadata: { labels: { 'service.kubernetes.io/headless': '' } }, ports: [{ name: '', port: 9000 }] },
  ]);
  await plane.host.cluster.delete({ ...SERVICE, namespace: 'shop', name: 'web' });
  await plane.advance(100);
  expect([plane.host.list(SLICE), plane.get(ENDPOINTS, 'web')]).toEqual([[], undefined]);
});

it('[cluster K] a Service without selector is left to whoever made it', async () => {
  await using plane = new Plane();
  await plane.create(aService({ selector: {} }));
  await plane.advance(100);
  expect(plane.host.list(SLICE)).toEqual([]);
});
