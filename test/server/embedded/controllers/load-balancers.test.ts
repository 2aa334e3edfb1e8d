import { expect, it } from 'vitest';
import { readList } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import { Plane } from './plane';

const SERVICE = { apiVersion: 'v1', kind: 'Service' };
const INGRESS = { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress' };
const INGRESS_CLASS = { apiVersion: 'networking.k8s.io/v1', kind: 'IngressClass' };
const PROVISION_MS = 3000;

const aService = (name: string, spec: object = {}): KubeObject => ({
  ...SERVICE,
  metadata: { name, namespace: 'shop' },
  spec: { type: 'LoadBalancer', clusterIP: '10.96.0.10', ports: [{ port: 80 }], ...spec },
});
const anIngress = (spec: object = {}, annotations: Record<string, string> = {}): KubeObject => ({
  ...INGRESS,
  metadata: { name: 'web', namespace: 'shop', annotations },
  spec: { rules: [{ host: 'web.example.com' }], ...spec },
});
const addressesOf = (plane: Plane, type: typeof SERVICE, name: string) =>
  readList(plane.require(type, name), 'status', 'loadBalancer', 'ingress');

it('[cluster K] a Service of type LoadBalancer gets an address of its own, after the time that a cloud takes', async () => {
  await using plane = new Plane();
  await plane.create(aService('web'));
  await plane.create(aService('api'));
  await plane.create(aService('inner', { type: 'ClusterIP' }));
  await plane.advance(PROVISION_MS - 1000);
  expect(addressesOf(plane, SERVICE, 'web')).toEqual([]);
  await plane.advance(2000);
  expect(addressesOf(plane, SERVICE, 'web')).toEqual([{ ip: '198.18.0.2', ipMode: 'VIP' }]);
  expect(addressesOf(plane, SERVICE, 'api')).toEqual([{ ip: '198.18.0.3', ipMode: 'VIP' }]);
  expect(addressesOf(plane, SERVICE, 'inner')).toEqual([]);
  expect(plane.said('web')).toContain('Normal EnsuredLoadBalancer: Ensured load balancer');
});

it('[cluster K] a Service that names a class is left to the controller of that class, and one that changes its type gives its address back', async () => {
  await using plane = new Plane();
  await plane.create(aService('classed', { loadBalancerClass: 'example.com/metal' }));
  await plane.create(aService('asked', { loadBalancerIP: '192.0.2.7' }));
  await plane.advance(PROVISION_MS + 1000);
  expect(addressesOf(plane, SERVICE, 'classed')).toEqual([]);
  expect(addressesOf(plane, SERVICE, 'asked')).toEqual([{ ip: '192.0.2.7', ipMode: 'VIP' }]);
  await plane.patch(SERVICE, 'asked', { spec: { type: 'ClusterIP' } });
  await plane.advance(1000);
  expect(plane.require(SERVICE, 'asked').status).toEqual({ loadBalancer: {} });
});

it.each([
  ['that names no class', {}, {}],
  ['that names a class where none are set up', { ingressClassName: 'nginx' }, {}],
  ['that names its class by annotation', {}, { 'kubernetes.io/ingress.class': 'nginx' }],
])('[cluster K] an Ingress %s gets the address of the simulated controller', async (_title, spec, annotations) => {
  await using plane = new Plane();
  await plane.create(anIngress(spec, annotations));
  await plane.advance(PROVISION_MS + 1000);
  expect(addressesOf(plane, INGRESS, 'web')).toEqual([{ ip: '198.18.0.1' }]);
});

it('[cluster K] an Ingress of a class that is not set up waits for it, where others are', async () => {
  await using plane = new Plane();
  await plane.create({ ...INGRESS_CLASS, metadata: { name: 'inner' }, spec: { controller: 'example.com/inner' } });
  await plane.create(anIngress({ ingressClassName: 'outer' }));
  await plane.advance(PROVISION_MS + 1000);
  expect(addressesOf(plane, INGRESS, 'web')).toEqual([]);
  await plane.create({ ...INGRESS_CLASS, metadata: { name: 'outer' }, spec: { controller: 'example.com/outer' } });
  await plane.advance(1000);
  expect(addressesOf(plane, INGRESS, 'web')).toEqual([{ ip: '198.18.0.1' }]);
});
