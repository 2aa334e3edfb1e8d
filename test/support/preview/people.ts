import type { KubeObject, TypeRef } from '@/lib/kube/object';

/** Who changes applications: somebody with all rights, and somebody who may write what there is and read none of it. */
export type Who = 'root' | 'author';

const RBAC = 'rbac.authorization.k8s.io/v1';
export const BINDING: TypeRef = { apiVersion: RBAC, kind: 'ClusterRoleBinding' };

const RULES = [
  { apiGroups: ['core.oam.dev'], resources: ['*'], verbs: ['*'] },
  { apiGroups: ['', 'apps', 'things.example.dev'], resources: ['*'], verbs: ['create', 'patch', 'update', 'delete'] },
];
const ENGINE_VERBS = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'];

/** As whom engines act where the server's role gives no impersonation. */
export const ENGINE = { user: 'engine', groups: ['slipway:servers'] };

/** Gives somebody their rights. */
export function bindingOf(who: Who | 'engine'): KubeObject {
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: who === 'root' ? 'cluster-admin' : who };
  return { ...BINDING, metadata: { name: who }, roleRef, subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: who }] };
}

/** What is in the cluster before anybody changes an application: who may do what, and a kind that is not built in. */
export const rightsAndKinds = () =>
  [
    { apiVersion: RBAC, kind: 'ClusterRole', metadata: { name: 'author' }, rules: RULES },
    bindingOf('author'),
    bindingOf('root'),
    {
      apiVersion: RBAC,
      kind: 'ClusterRole',
      metadata: { name: 'engine' },
      rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ENGINE_VERBS }],
    },
    bindingOf('engine'),
    {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'things.things.example.dev' },
      spec: {
        group: 'things.example.dev',
        scope: 'Namespaced',
        names: { kind: 'Thing', listKind: 'ThingList', plural: 'things', singular: 'thing' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
          },
        ],
      },
    },
  ] as readonly KubeObject[];
