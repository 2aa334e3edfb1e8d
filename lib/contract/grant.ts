import type { KubeObject } from '@/lib/kube/object';

/** A resource as kubectl names it: `deployments.apps`, `secrets`, `deployments.apps/scale`. */
interface GroupRules {
  readonly group: string;
  readonly resources: readonly string[];
  /** All that engines and Helm do to objects, where absent. */
  readonly verbs?: readonly string[];
}

/** What applications contain as a rule, and so what a grant gives unasked; `deploy/rbac/cluster-wide.yaml` gives the same everywhere. */
export const GRANTED: readonly GroupRules[] = [
  { group: '', resources: ['configmaps', 'persistentvolumeclaims', 'pods', 'secrets', 'serviceaccounts', 'services'] },
  { group: 'apps', resources: ['daemonsets', 'deployments', 'replicasets', 'statefulsets'] },
  { group: 'apps', resources: ['deployments/scale'], verbs: ['patch'] },
  { group: 'batch', resources: ['cronjobs', 'jobs'] },
  { group: 'autoscaling', resources: ['horizontalpodautoscalers'] },
  { group: 'policy', resources: ['poddisruptionbudgets'] },
  { group: 'networking.k8s.io', resources: ['ingresses', 'networkpolicies'] },
];

/** The server's own namespace, where replicas elect who leads: every installation of a cluster meets there. */
export const SERVER_NAMESPACE = 'slipway-system';

/** The account of a namespace as which Helm runs there, unless `--charts-service-account` says otherwise. */
export const CHARTS_ACCOUNT = 'slipway-charts';

const VERBS = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'];
const RBAC = 'rbac.authorization.k8s.io';
/** The server, as `deploy/rbac/server.yaml` knows it. */
const SERVER: readonly object[] = [
  { kind: 'Group', apiGroup: RBAC, name: 'slipway:servers' },
  { kind: 'ServiceAccount', name: 'slipway', namespace: SERVER_NAMESPACE },
];

const NAMESPACE = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
const RESOURCE = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** What is wrong with a grant that is asked for; undefined for nothing. */
export function whyNoGrant(namespace: string, kinds: readonly string[]): string | undefined {
  if (!NAMESPACE.test(namespace)) return `a grant wants the name of a namespace, found ${JSON.stringify(namespace)}`;
  const wrong = kinds.find((kind) => !RESOURCE.test(kind));
  return wrong === undefined
    ? undefined
    : `--kinds wants RESOURCE.GROUP with commas between, such as certificates.cert-manager.io, found ${JSON.stringify(wrong)}`;
}

/** The command whose output the owner of a namespace applies, so that the server may write there: other kinds than the usual ones are named. */
export function grantCommand(namespace: string, rights: readonly { readonly group: string; readonly resource: string }[] = []): string {
  const others = rights.filter(({ group, resource }) => !GRANTED.some((one) => one.group === group && one.resources.includes(resource)));
  const kinds = [...new Set(others.map(({ group, resource }) => (group === '' ? resource : `${resource}.${group}`)))].sort();
  return `slipway grant ${namespace}${kinds.length === 0 ? '' : ` --kinds ${kinds.join(',')}`} | kubectl apply -f -`;
}

/** The objects by which the owner of a namespace lets the server write there, and lets charts be run there as an account of its own. */
export function grantObjects(namespace: string, kinds: readonly string[]): readonly KubeObject[] {
  const account = { kind: 'ServiceAccount', name: CHARTS_ACCOUNT, namespace };
  const impersonation = { apiGroups: [''], resources: ['serviceaccounts'], resourceNames: [CHARTS_ACCOUNT], verbs: ['impersonate'] };
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: CHARTS_ACCOUNT, namespace } },
    aRole(namespace, 'slipway:writer', [...GRANTED, ...rulesOf(kinds)].map(toRule)),
    aBinding(namespace, 'slipway:writer', [...SERVER, account]),
    aRole(namespace, 'slipway:charts', [impersonation]),
    aBinding(namespace, 'slipway:charts', SERVER),
  ];
}

const toRule = ({ group, resources, verbs = VERBS }: GroupRules) => ({ apiGroups: [group], resources, verbs });

/** Kinds that are granted beside the usual ones, by group. */
function rulesOf(kinds: readonly string[]): readonly GroupRules[] {
  const named = kinds.map((kind) => {
    const [resource = '', ...group] = kind.split('.');
    return { resource, group: group.join('.') };
  });
  const others = named.filter(({ group, resource }) => !GRANTED.some((one) => one.group === group && one.resources.includes(resource)));
  return [...new Set(others.map(({ group }) => group))].map((group) => ({
    group,
    resources: [...new Set(others.filter((one) => one.group === group).map(({ resource }) => resource))],
  }));
}

function aRole(namespace: string, name: string, rules: readonly object[]): KubeObject {
  return { apiVersion: `${RBAC}/v1`, kind: 'Role', metadata: { name, namespace }, rules };
}

function aBinding(namespace: string, name: string, subjects: readonly object[]): KubeObject {
  return { apiVersion: `${RBAC}/v1`, kind: 'RoleBinding', metadata: { name, namespace }, roleRef: { apiGroup: RBAC, kind: 'Role', name }, subjects };
}
