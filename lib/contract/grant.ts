import type { KubeObject } from '@/lib/kube/object';
import { shellWord } from '@/lib/std/text/shell-word';

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

/** What a grant gives beside what every grant does. */
export interface GrantOptions {
  /** Kinds that applications contain, as RESOURCE.GROUP. */
  readonly kinds?: readonly string[];
  /** ServiceAccounts as which Helm may run, beside the usual one. */
  readonly accounts?: readonly string[];
  /** The ServiceAccount as which Helm runs for releases that name none, where the server was told another than the usual one. */
  readonly chartsAccount?: string | undefined;
}

/** Whether there can be a namespace of this name: what manifests and charts name need not be one. */
export function isNamespaceName(name: string): boolean {
  return NAMESPACE.test(name);
}

/** What is wrong with a grant that is asked for; undefined for nothing. */
export function noGrantReason(
  namespace: string,
  { kinds = [], accounts = [], chartsAccount = CHARTS_ACCOUNT }: GrantOptions = {},
): string | undefined {
  if (!isNamespaceName(namespace)) return `a grant needs the name of a namespace, found ${JSON.stringify(namespace)}`;
  const nobody = accounts.find((account) => !RESOURCE.test(account));
  if (nobody !== undefined)
    return `--accounts needs comma-separated names of ServiceAccounts of ${namespace}, found ${JSON.stringify(nobody)}`;
  if (!RESOURCE.test(chartsAccount))
    return `--charts-account needs the name of a ServiceAccount of ${namespace}, found ${JSON.stringify(chartsAccount)}`;
  const wrong = kinds.find((kind) => !RESOURCE.test(kind));
  return wrong === undefined
    ? undefined
    : `--kinds needs comma-separated RESOURCE.GROUP, such as certificates.cert-manager.io, found ${JSON.stringify(wrong)}`;
}

/** A right that the server lacks. */
interface LackedRight {
  readonly group: string;
  readonly resource: string;
  readonly verb?: string;
  readonly name?: string;
}

/**
 * The command whose output the owner of a namespace applies, so that the server may do there what it lacks the rights to: what no grant gives unasked is named,
 * and so is the account of the settings, which nobody else knows.
 */
export function grantCommand(namespace: string, rights: readonly LackedRight[] = [], chartsAccount: string = CHARTS_ACCOUNT): string {
  const others = rights.filter(({ group, resource }) => !GRANTED.some((one) => one.group === group && one.resources.includes(resource)));
  const kinds = others.map(({ group, resource }) => (group === '' ? resource : `${resource}.${group}`));
  const actors = rights.flatMap(({ verb, name }) =>
    verb === 'impersonate' && name !== undefined && name !== CHARTS_ACCOUNT ? [name] : [],
  );
  const accounts = actors.filter((name) => name !== chartsAccount);
  const charts = actors.filter((name) => name === chartsAccount);
  return `slipway grant ${shellWord(namespace)}${option('kinds', kinds)}${option('accounts', accounts)}${option('charts-account', charts)} | kubectl apply -f -`;
}

function option(name: string, words: readonly string[]): string {
  return words.length === 0 ? '' : ` --${name} ${shellWord([...new Set(words)].sort().join(','))}`;
}

/**
 * The objects by which the owner of a namespace lets the server write there, and lets charts be run there as accounts of its own.
 *
 * 1. What is named beside the usual things lies in Roles of its own, so that a later grant takes nothing of an earlier one away.
 * 2. An account that is named gets no rights by this: it has those that its owner gave it, and lends them to whoever writes a release there.
 * 3. The account of the settings gets what the usual one gets, by bindings of its own, which a later grant without it leaves.
 */
export function grantObjects(
  namespace: string,
  { kinds = [], accounts = [], chartsAccount = CHARTS_ACCOUNT }: GrantOptions = {},
): readonly KubeObject[] {
  const subjects = [...SERVER, { kind: 'ServiceAccount', name: CHARTS_ACCOUNT, namespace }];
  const writers = [{ name: 'slipway:writer', rules: GRANTED.map(toRule) }].concat(
    rulesOf(kinds).map((rule) => ({ name: `slipway:writer:${nameOf(rule)}`, rules: [toRule(rule)] })),
  );
  const own = chartsAccount === CHARTS_ACCOUNT ? [] : [{ kind: 'ServiceAccount', name: chartsAccount, namespace }];
  return [
    ...writers.flatMap(({ name, rules }) => aGrant(namespace, name, { rules, subjects })),
    ...own.flatMap((subject) =>
      writers.map(({ name }) => aBinding(namespace, `${name}:as:${chartsAccount}`, { role: name, subjects: [subject] })),
    ),
    ...[...new Set([CHARTS_ACCOUNT, chartsAccount, ...accounts])].flatMap((name) => anActor(namespace, name)),
  ];
}

/** An account, and the right to act as it and no other. */
function anActor(namespace: string, name: string): readonly KubeObject[] {
  const rules = [{ apiGroups: [''], resources: ['serviceaccounts'], resourceNames: [name], verbs: ['impersonate'] }];
  const role = name === CHARTS_ACCOUNT ? 'slipway:charts' : `slipway:charts:${name}`;
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace } },
    ...aGrant(namespace, role, { rules, subjects: SERVER }),
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
  return [...new Map(others.map((one) => [nameOf({ group: one.group, resources: [one.resource] }), one])).values()].map(
    ({ group, resource }) => ({
      group,
      resources: [resource],
    }),
  );
}

const nameOf = ({ group, resources }: GroupRules) => [...resources, ...(group === '' ? [] : [group])].join('.');

/** A Role and who has it. */
function aGrant(
  namespace: string,
  name: string,
  { rules, subjects }: { readonly rules: readonly object[]; readonly subjects: readonly object[] },
) {
  const role: KubeObject = { apiVersion: `${RBAC}/v1`, kind: 'Role', metadata: { name, namespace }, rules };
  return [role, aBinding(namespace, name, { role: name, subjects })];
}

function aBinding(
  namespace: string,
  name: string,
  { role, subjects }: { readonly role: string; readonly subjects: readonly object[] },
): KubeObject {
  const roleRef = { apiGroup: RBAC, kind: 'Role', name: role };
  return { apiVersion: `${RBAC}/v1`, kind: 'RoleBinding', metadata: { name, namespace }, roleRef, subjects };
}
