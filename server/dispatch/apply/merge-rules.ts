import { isBuiltInGroup } from '@/lib/kube/built-in-groups';
import { groupOf } from '@/lib/kube/object';

/**
 * How strategic merge treats one member. Read off the OpenAPI v3 document of Kubernetes 1.36
 * (`x-kubernetes-patch-merge-key`, `x-kubernetes-patch-strategy`); status is left out, since manifests do not set it.
 */
export interface MemberRule {
  /** A list of objects that merges entry by entry under this key. */
  readonly mergeKey?: string;
  /** A list of plain values that merges as a set. */
  readonly primitives?: true;
  /** Members that the patch does not name go: unions whose members exclude each other. */
  readonly retainKeys?: true;
  /** The member is replaced whole. */
  readonly replace?: true;
  /** A list that nobody can change once it is there: what its entries have beyond ours, the server filled in. */
  readonly fixed?: true;
  /** Definition of the member, or of each entry of the list. */
  readonly of?: string;
}

type Definition = Readonly<Record<string, MemberRule>>;

const CONTAINER: Definition = {
  env: { mergeKey: 'name' },
  ports: { mergeKey: 'containerPort' },
  volumeDevices: { mergeKey: 'devicePath' },
  volumeMounts: { mergeKey: 'mountPath' },
};
const WITH_TEMPLATE: Definition = { template: { of: 'PodTemplateSpec' } };
const WITH_META: Definition = { metadata: { of: 'ObjectMeta' } };

const DEFINITIONS: Readonly<Record<string, Definition>> = {
  ObjectMeta: { ownerReferences: { mergeKey: 'uid' }, finalizers: { primitives: true } },
  Container: CONTAINER,
  Volume: { ephemeral: { of: 'EphemeralVolumeSource' } },
  EphemeralVolumeSource: { volumeClaimTemplate: { of: 'WithMeta' } },
  WithMeta: WITH_META,
  PodSpec: {
    containers: { mergeKey: 'name', of: 'Container' },
    initContainers: { mergeKey: 'name', of: 'Container' },
    ephemeralContainers: { mergeKey: 'name', of: 'Container' },
    volumes: { mergeKey: 'name', retainKeys: true, of: 'Volume' },
    resourceClaims: { mergeKey: 'name', retainKeys: true },
    imagePullSecrets: { mergeKey: 'name' },
    hostAliases: { mergeKey: 'ip' },
    schedulingGates: { mergeKey: 'name' },
    topologySpreadConstraints: { mergeKey: 'topologyKey' },
  },
  PodTemplateSpec: { ...WITH_META, spec: { of: 'PodSpec' } },
  DeploymentSpec: { ...WITH_TEMPLATE, strategy: { retainKeys: true } },
  WorkloadSpec: WITH_TEMPLATE,
  StatefulSetSpec: { ...WITH_TEMPLATE, volumeClaimTemplates: { fixed: true } },
  CronJobSpec: { jobTemplate: { of: 'JobTemplateSpec' } },
  JobTemplateSpec: { ...WITH_META, spec: { of: 'WorkloadSpec' } },
  ServiceSpec: { ports: { mergeKey: 'port' } },
  NodeSpec: { podCIDRs: { primitives: true } },
  PodDisruptionBudgetSpec: { selector: { replace: true } },
  CSINodeSpec: { drivers: { mergeKey: 'name' } },
  Webhook: { matchConditions: { mergeKey: 'name' } },
  MutatingAdmissionPolicySpec: { matchConditions: { mergeKey: 'name' } },
  ValidatingAdmissionPolicySpec: { matchConditions: { mergeKey: 'name' }, variables: { mergeKey: 'name' } },
};

/** Root definitions by group and kind; kinds of the groups below that are missing here have metadata rules only. */
const ROOTS: Readonly<Record<string, Definition>> = {
  '/Pod': { spec: { of: 'PodSpec' } },
  '/PodTemplate': WITH_TEMPLATE,
  '/ReplicationController': { spec: { of: 'WorkloadSpec' } },
  '/Service': { spec: { of: 'ServiceSpec' } },
  '/ServiceAccount': { secrets: { mergeKey: 'name' } },
  '/Node': { spec: { of: 'NodeSpec' } },
  'apps/Deployment': { spec: { of: 'DeploymentSpec' } },
  'apps/DaemonSet': { spec: { of: 'WorkloadSpec' } },
  'apps/ReplicaSet': { spec: { of: 'WorkloadSpec' } },
  'apps/StatefulSet': { spec: { of: 'StatefulSetSpec' } },
  'extensions/Deployment': { spec: { of: 'DeploymentSpec' } },
  'batch/Job': { spec: { of: 'WorkloadSpec' } },
  'batch/CronJob': { spec: { of: 'CronJobSpec' } },
  'policy/PodDisruptionBudget': { spec: { of: 'PodDisruptionBudgetSpec' } },
  'storage.k8s.io/CSINode': { spec: { of: 'CSINodeSpec' } },
  'admissionregistration.k8s.io/MutatingWebhookConfiguration': { webhooks: { mergeKey: 'name', of: 'Webhook' } },
  'admissionregistration.k8s.io/ValidatingWebhookConfiguration': { webhooks: { mergeKey: 'name', of: 'Webhook' } },
  'admissionregistration.k8s.io/MutatingAdmissionPolicy': { spec: { of: 'MutatingAdmissionPolicySpec' } },
  'admissionregistration.k8s.io/ValidatingAdmissionPolicy': { spec: { of: 'ValidatingAdmissionPolicySpec' } },
};

/** Groups of built-in kinds that take no strategic merge: their servers know no merge keys, as they know none of custom resources. */
const JSON_MERGED: ReadonlySet<string> = new Set([
  'apiextensions.k8s.io',
  'apiregistration.k8s.io',
  'authentication.k8s.io',
  'authorization.k8s.io',
  'internal.apiserver.k8s.io',
  'metrics.k8s.io',
  'storagemigration.k8s.io',
]);

const NOTHING: Definition = {};
const ROOTS_WITH_META = Object.fromEntries(Object.entries(ROOTS).map(([kind, definition]) => [kind, { ...WITH_META, ...definition }]));

/** Rules for the members of one object in a tree of them. */
export interface MergeRules {
  rule(member: string): MemberRule | undefined;
  /** Rules of a member, or of the entries of the list it holds. */
  inside(member: string): MergeRules;
}

/** Made once per definition: they are asked for at every member of every object that is compared. */
const RULES = new Map<Definition, MergeRules>();

function rulesOf(definition: Definition): MergeRules {
  const held = RULES.get(definition);
  if (held !== undefined) return held;
  const rules: MergeRules = {
    rule: (member) => (Object.hasOwn(definition, member) ? definition[member] : undefined),
    inside: (member) => rulesOf(DEFINITIONS[(Object.hasOwn(definition, member) ? definition[member]?.of : undefined) ?? ''] ?? NOTHING),
  };
  RULES.set(definition, rules);
  return rules;
}

/** Strategic-merge rules of a kind; undefined for kinds that only take JSON merge. */
export function mergeRulesOf(type: { readonly apiVersion: string; readonly kind: string }): MergeRules | undefined {
  const group = groupOf(type.apiVersion);
  if (!isBuiltInGroup(group) || JSON_MERGED.has(group)) return undefined;
  return rulesOf(ROOTS_WITH_META[`${group}/${type.kind}`] ?? WITH_META);
}
