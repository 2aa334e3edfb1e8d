import type { TypeRef } from './object';
import { describeObject, groupOf } from './object';

/** The kinds that Slipway itself speaks of, so that nobody types a group twice. */
export const KINDS = {
  application: { apiVersion: 'core.oam.dev/v1beta1', kind: 'Application' },
  applicationRevision: { apiVersion: 'core.oam.dev/v1beta1', kind: 'ApplicationRevision' },
  resourceTracker: { apiVersion: 'core.oam.dev/v1beta1', kind: 'ResourceTracker' },
  rolloutOrchestrator: { apiVersion: 'serving.knative.dev/v1', kind: 'RolloutOrchestrator' },
  stagePodAutoscaler: { apiVersion: 'serving.knative.dev/v1', kind: 'StagePodAutoscaler' },
  stageDecision: { apiVersion: 'slipway.dev/v1alpha1', kind: 'StageDecision' },
  fluxHelmRelease: { apiVersion: 'helm.integrations.flux.weave.works/v1alpha2', kind: 'FluxHelmRelease' },
  releaseDecision: { apiVersion: 'slipway.dev/v1alpha1', kind: 'ReleaseDecision' },
  helmRelease: { apiVersion: 'helm.fluxcd.io/v1', kind: 'HelmRelease' },
  olderHelmRelease: { apiVersion: 'flux.weave.works/v1beta1', kind: 'HelmRelease' },
  namespace: { apiVersion: 'v1', kind: 'Namespace' },
  deployment: { apiVersion: 'apps/v1', kind: 'Deployment' },
  horizontalPodAutoscaler: { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler' },
  replicaSet: { apiVersion: 'apps/v1', kind: 'ReplicaSet' },
  pod: { apiVersion: 'v1', kind: 'Pod' },
  service: { apiVersion: 'v1', kind: 'Service' },
  endpointSlice: { apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice' },
} as const satisfies Record<string, TypeRef>;

/** Not among the above, every one of which is watched as a whole from the start. */
export const SECRET = { apiVersion: 'v1', kind: 'Secret' } as const satisfies TypeRef;

/** What tells a kind of ours from every other: its name, with its group where another of ours has the name. */
export function nameOfKind({ apiVersion, kind }: TypeRef): string {
  const { olderHelmRelease: shared } = KINDS;
  const group = groupOf(shared.apiVersion);
  return kind === shared.kind && groupOf(apiVersion) === group ? `${kind}.${group}` : kind;
}

/** The same of several objects of the kind: `HelmReleases.flux.weave.works`. */
export function nameOfKinds(type: TypeRef): string {
  const [kind = '', ...group] = nameOfKind(type).split('.');
  return [toPlural(kind), ...group].join('.');
}

/** What tells any kind from ours: one of another group that has the name of one of ours is named with its group. */
export function nameOfAnyKind(type: TypeRef): string {
  const namesakes = Object.values<TypeRef>(KINDS).filter(({ kind }) => kind === type.kind);
  const isOurs = namesakes.some(({ apiVersion }) => groupOf(apiVersion) === groupOf(type.apiVersion));
  return namesakes.length === 0 || isOurs ? nameOfKind(type) : `${type.kind}.${groupOf(type.apiVersion)}`;
}

/** How sentences name an object among those of all kinds of ours. */
export function describeResource(at: Parameters<typeof describeObject>[0] & TypeRef): string {
  return describeObject({ ...at, kind: nameOfKind(at) });
}

/** Labels by which objects are found; names are those of KubeVela and Knative. */
export const LABELS = {
  appName: 'app.oam.dev/name',
  appNamespace: 'app.oam.dev/namespace',
  appRevision: 'app.oam.dev/appRevision',
  component: 'app.oam.dev/component',
  rolloutService: 'serving.knative.dev/service',
  rolloutRevision: 'serving.knative.dev/revision',
} as const;

/** On a Secret: the application whose values it holds (docs/decisions/0070-values-stand-in-secrets-only.md). */
export const VALUES_OF = 'slipway.dev/values-of';

/** Who asked for the policy of a rollout, which may be somebody else than who asked for its target. */
export const POLICY_REQUESTED_BY = { user: 'slipway.dev/policy-requested-by', groups: 'slipway.dev/policy-requested-by-groups' } as const;
/** Annotations by which whoever changed an application is noted: the user, and their groups, one a line (docs/decisions/0015-who-may-put-what.md). */
export const REQUESTED_BY = {
  user: 'slipway.dev/requested-by',
  groups: 'slipway.dev/requested-by-groups',
  uid: 'slipway.dev/requested-by-uid',
} as const;

/** Annotations by which whoever changed the labels or annotations of an application last is noted, in the same way; ours and those of kubectl aside. */
export const LABELLED_BY = { user: 'slipway.dev/labelled-by', groups: 'slipway.dev/labelled-by-groups' } as const;
/** Annotations by which it is noted who changed each of them, a name and its user a line, and the groups of each of these users, after tabs. */
export const LABELLED_NAMES = { names: 'slipway.dev/labelled-names', groups: 'slipway.dev/labelled-names-groups' } as const;

/** On an application: the objects to be put back once (docs/decisions/0014-drift.md), and by which whoever asked for that is noted, in the same way. */
export const PUT_BACK = {
  asked: 'slipway.dev/put-back',
  user: 'slipway.dev/put-back-by',
  groups: 'slipway.dev/put-back-by-groups',
} as const;

/**
 * On an application: the decision by which its spec was set back, and the spec it was set back to; void for any other spec. On a rollout: the
 * target that goes back (docs/decisions/0038-a-rollback-is-carried-out-by-the-engine.md).
 */
export const ROLLED_BACK = 'slipway.dev/rolled-back';

/** On an application: the plan that whoever changed the spec saw, and by which they are noted; void for any other spec (docs/decisions/0025-the-plan-travels.md). */
export const PLAN = { seen: 'slipway.dev/plan', user: 'slipway.dev/plan-by', groups: 'slipway.dev/plan-by-groups' } as const;
/** Stands beside a plan that chart sync accepted and has not carried out yet: the newest revision that was stored then, and the text of the plan. */
export const PLAN_ACCEPTED = 'slipway.dev/plan-accepted';

/** On a HelmRelease: holds it, when it is deleted, until Helm has uninstalled its release (docs/decisions/0169-a-deleted-helmrelease-stays-until-it-is-uninstalled.md). */
export const HELM_FINALIZER = 'slipway.dev/helm-uninstall';

/** On an application, just before it is deleted: digest of what whoever deletes it saw of its end (docs/decisions/0122-an-application-ends-as-shown.md). */
export const DELETION_PLAN = 'slipway.dev/end-plan';

/** On an application: when somebody asked last that it be reconciled at once; its engine hears of the change. */
export const RECONCILE_REQUESTED = 'slipway.dev/reconcile-requested-at';

/** Says how many of a kind: `1 Ingress`, `2 Ingresses`, `3 NetworkPolicies`. A kind that is a plural already stays. */
export function countKind(count: number, kind: string): string {
  return `${count} ${count === 1 ? kind : toPlural(kind)}`;
}

function toPlural(kind: string): string {
  if (/(?:ss|sh|ch|x)$/.test(kind)) return `${kind}es`;
  if (kind.endsWith('s')) return kind;
  return /[^aeiou]y$/.test(kind) ? `${kind.slice(0, -1)}ies` : `${kind}s`;
}
