import type { KubeObject } from '@/lib/kube/object';

const RBAC = 'rbac.authorization.k8s.io';
const READ = ['get', 'list', 'watch'];
const WRITE = ['create', 'delete', 'deletecollection', 'patch', 'update'];

interface RoleRule {
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
  readonly verbs: readonly string[];
}

const on = (apiGroups: readonly string[], resources: readonly string[], verbs: readonly string[]): RoleRule => ({
  apiGroups,
  resources,
  verbs,
});

const WORKLOADS: readonly RoleRule[] = [
  on(
    ['apps'],
    ['daemonsets', 'deployments', 'deployments/scale', 'replicasets', 'replicasets/scale', 'statefulsets', 'statefulsets/scale'],
    WRITE,
  ),
  on(['apps'], ['deployments/rollback'], WRITE),
  on(['autoscaling'], ['horizontalpodautoscalers'], WRITE),
  on(['batch'], ['cronjobs', 'jobs'], WRITE),
  on(['networking.k8s.io'], ['ingresses', 'networkpolicies'], WRITE),
  on(['policy'], ['poddisruptionbudgets'], WRITE),
  on(['coordination.k8s.io'], ['leases'], [...READ, ...WRITE]),
];
const CORE = [
  'configmaps',
  'events',
  'persistentvolumeclaims',
  'replicationcontrollers',
  'replicationcontrollers/scale',
  'serviceaccounts',
  'services',
];
const EDIT: readonly RoleRule[] = [
  on([''], ['pods/attach', 'pods/exec', 'pods/portforward', 'pods/proxy', 'secrets', 'services/proxy'], READ),
  on([''], ['serviceaccounts'], ['impersonate']),
  on([''], ['pods', 'pods/attach', 'pods/exec', 'pods/portforward', 'pods/proxy'], WRITE),
  on([''], ['pods/eviction'], ['create']),
  on([''], [...CORE, 'endpoints', 'secrets', 'services/proxy'], WRITE),
  on([''], ['serviceaccounts/token'], ['create']),
  on(['discovery.k8s.io'], ['endpointslices'], WRITE),
  ...WORKLOADS,
];
const VIEW: readonly RoleRule[] = [
  on([''], [...CORE, 'endpoints', 'persistentvolumeclaims/status', 'pods', 'replicationcontrollers/status', 'services/status'], READ),
  on(
    [''],
    ['bindings', 'limitranges', 'namespaces/status', 'pods/log', 'pods/status', 'resourcequotas', 'resourcequotas/status', 'namespaces'],
    READ,
  ),
  on(['discovery.k8s.io'], ['endpointslices'], READ),
  on(['apps'], ['controllerrevisions', 'daemonsets', 'daemonsets/status', 'deployments', 'deployments/scale', 'deployments/status'], READ),
  on(
    ['apps'],
    ['replicasets', 'replicasets/scale', 'replicasets/status', 'statefulsets', 'statefulsets/scale', 'statefulsets/status'],
    READ,
  ),
  on(['autoscaling'], ['horizontalpodautoscalers', 'horizontalpodautoscalers/status'], READ),
  on(['batch'], ['cronjobs', 'cronjobs/status', 'jobs', 'jobs/status'], READ),
  on(['networking.k8s.io'], ['ingresses', 'ingresses/status', 'networkpolicies'], READ),
  on(['policy'], ['poddisruptionbudgets', 'poddisruptionbudgets/status'], READ),
];
const ADMIN: readonly RoleRule[] = [
  on(['authorization.k8s.io'], ['localsubjectaccessreviews'], ['create']),
  on([RBAC], ['rolebindings', 'roles'], [...READ, ...WRITE]),
];
const DISCOVERY = [
  '/api',
  '/api/*',
  '/apis',
  '/apis/*',
  '/healthz',
  '/livez',
  '/openapi',
  '/openapi/*',
  '/readyz',
  '/version',
  '/version/',
];

const marks = (more: Readonly<Record<string, string>> = {}) => ({ labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults', ...more } });
const aggregates = (to: string) => ({ [`${RBAC}/aggregate-to-${to}`]: 'true' });

function role(name: string, rules: readonly RoleRule[], labels: Readonly<Record<string, string>> = {}): KubeObject {
  return { apiVersion: `${RBAC}/v1`, kind: 'ClusterRole', metadata: { name, ...marks(labels) }, rules };
}

function aggregate(name: string, from: string, labels: Readonly<Record<string, string>> = {}): KubeObject {
  return { ...role(name, [], labels), aggregationRule: { clusterRoleSelectors: [{ matchLabels: aggregates(from) }] } };
}

function binding(name: string, group: string): KubeObject {
  return {
    apiVersion: `${RBAC}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name, ...marks() },
    roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name },
    subjects: [{ apiGroup: RBAC, kind: 'Group', name: group }],
  };
}

/** The roles that every cluster has, and their bindings. */
export const DEFAULT_ROLES: readonly KubeObject[] = [
  role('cluster-admin', [
    { apiGroups: ['*'], resources: ['*'], verbs: ['*'] },
    { nonResourceURLs: ['*'], verbs: ['*'] },
  ]),
  aggregate('admin', 'admin'),
  aggregate('edit', 'edit', aggregates('admin')),
  aggregate('view', 'view', aggregates('edit')),
  role('system:aggregate-to-admin', ADMIN, aggregates('admin')),
  role('system:aggregate-to-edit', EDIT, aggregates('edit')),
  role('system:aggregate-to-view', VIEW, aggregates('view')),
  role('system:basic-user', [
    on(['authorization.k8s.io'], ['selfsubjectaccessreviews', 'selfsubjectrulesreviews'], ['create']),
    on(['authentication.k8s.io'], ['selfsubjectreviews'], ['create']),
  ]),
  role('system:discovery', [{ nonResourceURLs: DISCOVERY, verbs: ['get'] }]),
  role('system:public-info-viewer', [{ nonResourceURLs: ['/healthz', '/livez', '/readyz', '/version', '/version/'], verbs: ['get'] }]),
  binding('cluster-admin', 'system:masters'),
  binding('system:basic-user', 'system:authenticated'),
  binding('system:discovery', 'system:authenticated'),
  binding('system:public-info-viewer', 'system:authenticated'),
]; // prettier-ignore
