import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject, TypeRef } from '@/lib/kube/object';

const SERVICES = ['ad', 'cart', 'catalog', 'checkout', 'currency', 'email', 'frontend', 'payment', 'recommendation', 'shipping'] as const;

interface Wanted {
  readonly tag?: string;
  readonly without?: readonly string[];
  readonly discount?: number;
}

/** The kind that the application of a house brings: a group per house, so that two of them do not meet. */
export const BOUTIQUE_KIND = (ns: string): TypeRef => ({ apiVersion: `${ns}.example.com/v1`, kind: 'Campaign' });

/** A shop of many services as public demonstrations have it: one application of plain manifests over two more namespaces. */
export function aBoutique(ns: string, { tag = '1', without = [], discount = 10 }: Wanted = {}) {
  const shop = `${ns}-shop`;
  const data = `${ns}-data`;
  const services = SERVICES.filter((name) => !without.includes(name));
  // What others stand on comes last on purpose.
  const objects: readonly KubeObject[] = [
    ...services.flatMap((name) => [deployment(name, shop, tag), service(name, shop)]),
    { ...BOUTIQUE_KIND(ns), metadata: { name: 'spring', namespace: shop }, spec: { percent: discount } },
    { ...BOUTIQUE_KIND(ns), metadata: { name: 'autumn', namespace: shop }, spec: { percent: 5 } },
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'flags', namespace: shop }, data: { currency: 'EUR' } },
    { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'payment', namespace: shop }, stringData: { key: 'not-a-key' } },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'checkout', namespace: shop } },
    deployment('cache', data, '1'),
    service('cache', data),
    {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'orders', namespace: data },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: `${ns}-reader` },
      rules: [{ apiGroups: [''], resources: ['services'], verbs: ['get', 'list'] }],
    },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: `${ns}-reader` },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: `${ns}-reader` },
      subjects: [{ kind: 'ServiceAccount', name: 'checkout', namespace: shop }],
    },
    campaignDefinition(ns),
    { ...KINDS.namespace, metadata: { name: shop } },
    { ...KINDS.namespace, metadata: { name: data } },
  ];
  const application: KubeObject = {
    ...KINDS.application,
    metadata: { name: 'boutique' },
    spec: { components: [{ name: 'everything', type: 'k8s-objects', properties: { objects } }] },
  };
  return { application, objects, shop };
}

function deployment(name: string, namespace: string, tag: string): KubeObject {
  const labels = { app: name };
  const container = { name: 'server', image: `registry.example.com/${name}:${tag}`, ports: [{ containerPort: 8080 }] };
  return {
    ...KINDS.deployment,
    metadata: { name, namespace, labels },
    spec: { replicas: 1, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers: [container] } } },
  };
}

function service(name: string, namespace: string): KubeObject {
  return {
    ...KINDS.service,
    metadata: { name, namespace },
    spec: { selector: { app: name }, ports: [{ name: 'grpc', port: 80, targetPort: 8080 }] },
  };
}

function campaignDefinition(ns: string): KubeObject {
  const properties = { spec: { type: 'object', properties: { percent: { type: 'integer', minimum: 0, maximum: 90 } } } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `campaigns.${ns}.example.com` },
    spec: {
      group: `${ns}.example.com`,
      scope: 'Namespaced',
      names: { kind: 'Campaign', plural: 'campaigns', singular: 'campaign', listKind: 'CampaignList' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', properties } } }],
    },
  };
}
