import type { KubeObject } from '@/lib/kube/object';

/** A kind of somebody else's, as a definition that keeps these fields of its spec. */
export function aForeignDefinition(plural: string, kind: string, fields: readonly string[]): KubeObject {
  const group = 'acme.example';
  const properties = { spec: { type: 'object', properties: Object.fromEntries(fields.map((field) => [field, { type: 'string' }])) } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` },
      scope: 'Namespaced',
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', properties } } }],
    },
  };
}
