import { expect, it } from 'vitest';
import type { KubeObject } from '@/lib/kube/object';
import { groupOf } from '@/lib/kube/object';
import { findEdges } from '@/server/readmodel/trees/edges';
import { aBranch, aNode } from '@/test/support/fixture/tree';

const branchOf = (object: KubeObject) => {
  const { kind, apiVersion, metadata } = object;
  return { ...aBranch(aNode(groupOf(apiVersion), kind, metadata.name ?? '')), object };
};
const at = (name: string) => ({ metadata: { namespace: 'shop', name } });
const deployment = (name: string, labels: Readonly<Record<string, string>>): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  ...at(name),
  spec: { template: { metadata: { labels } } },
});
const service = (name: string, selector: Readonly<Record<string, string>>): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  ...at(name),
  spec: { selector },
});
const edgesOf = (...objects: readonly KubeObject[]) =>
  [...findEdges(objects.map(branchOf))].flatMap(([from, edges]) =>
    edges.map(({ kind, to, note }) => [from, kind, to, ...(note === null ? [] : [note])].join(' ')),
  );

it('[issue 14.2] a Service leads to every workload whose pods its selector matches, and to no other', () => {
  const edges = edgesOf(
    service('web', { app: 'web' }),
    service('all', {}),
    deployment('web-1', { app: 'web', tier: 'front' }),
    deployment('cache', { app: 'cache' }),
  );
  expect(edges).toEqual(['Service/shop/web selects Deployment.apps/shop/web-1']);
});

it('[issue 14.2] a route leads to its backends, each with its part of the traffic', () => {
  const backendRefs = [
    { name: 'stable', weight: 80 },
    { name: 'canary', weight: 20 },
    { name: 'elsewhere', namespace: 'other', weight: 0 },
  ];
  const route: KubeObject = {
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'HTTPRoute',
    ...at('web'),
    spec: { rules: [{ backendRefs }] },
  };
  expect(edgesOf(route, service('stable', {}), service('canary', {}))).toEqual([
    'HTTPRoute.gateway.networking.k8s.io/shop/web routes Service/shop/stable 80%',
    'HTTPRoute.gateway.networking.k8s.io/shop/web routes Service/shop/canary 20%',
  ]);
});

it('[issue 14.2] an Ingress leads to its backends once, and an autoscaler to what it scales', () => {
  const backend = { service: { name: 'web', port: { number: 80 } } };
  const ingress: KubeObject = {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    ...at('web'),
    spec: { defaultBackend: backend, rules: [{ http: { paths: [{ backend }, { backend }] } }] },
  };
  const autoscaler: KubeObject = {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    ...at('web'),
    spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' } },
  };
  expect(edgesOf(ingress, autoscaler, service('web', {}), deployment('web', {}))).toEqual([
    'Ingress.networking.k8s.io/shop/web routes Service/shop/web',
    'HorizontalPodAutoscaler.autoscaling/shop/web scales Deployment.apps/shop/web',
  ]);
});

it('[issue 14.2] what is filled with nonsense leads nowhere', () => {
  const nonsense = (apiVersion: string, kind: string): KubeObject => ({
    apiVersion,
    kind,
    ...at('odd'),
    spec: { rules: [null, 7, { backendRefs: [null, { name: 3 }], http: { paths: 'x' } }], selector: 'x', scaleTargetRef: [] },
  });
  const objects = [
    nonsense('v1', 'Service'),
    nonsense('networking.k8s.io/v1', 'Ingress'),
    nonsense('gateway.networking.k8s.io/v1', 'HTTPRoute'),
    nonsense('autoscaling/v2', 'HorizontalPodAutoscaler'),
  ];
  expect(edgesOf(...objects, deployment('web', { app: 'web' }))).toEqual([]);
});
