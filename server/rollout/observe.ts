import type { StageDecisionSpec } from '@/lib/contract/stage-decision';
import { stageDecisionSpec } from '@/lib/contract/stage-decision';
import { readField, readString } from '@/lib/kube/fields';
import { isEmptySelector, labelsOf, matchesSelector } from '@/lib/kube/label-selector';
import type { KubeObject, ObjectKey } from '@/lib/kube/object';
import { controllerOf, toObjectKey } from '@/lib/kube/object';
import type { Instant } from '@/lib/std/instant';
import { toInstant } from '@/lib/std/instant';
import type { Store } from '@/server/kube';
import type { LiveStatus } from '@/server/status';
import { sentenceOf } from '@/server/status';
import { stableOf } from './control/control-facts';
import type { PendingDecision } from './control/decisions';
import type { BlockedRevision } from './control/view';
import { toView } from './control/view';
import type { Observation } from './decide';
import type { StageAutoscaler } from './model';
import { REVISION_LABEL, SERVICE_LABEL } from './model';
import type { RevisionPod, RolloutObject, Workload } from './objects';
import { readAutoscaler, readPod, readRollout, readWorkload, scalesOf } from './objects';
import { findForeignRevision } from './ownership';
import type { Freshness } from './pass/freshness';
import { evaluateFreshness } from './pass/freshness';
import { livePodsOf, settledWorkload } from './pass/pod-figures';
import { ungrantedOf } from './pass/ungranted';
import { indexScalers, scalersOf } from './scalers';
import { countTerminating } from './stage/spa-status';

/** The stores the engine reads. */
export interface RolloutStores {
  readonly rollouts: Store;
  readonly autoscalers: Store;
  readonly deployments: Store;
  readonly horizontalAutoscalers: Store;
  readonly pods: Store;
  readonly decisions: Store;
}

const BY_REVISION = 'rollout-revision';
const BY_ROLLOUT = 'rollout';
const UNLABELLED = 'rollout-unlabelled';

/** Declares the indexes by which objects of one rollout are found without looking at all of them. */
export function indexStores({ rollouts, autoscalers, deployments, horizontalAutoscalers, pods, decisions }: RolloutStores): void {
  rollouts.addIndex(BY_REVISION, revisionsOfRollout);
  autoscalers.addIndex(BY_ROLLOUT, (object) => labelKey(object, SERVICE_LABEL));
  deployments.addIndex(UNLABELLED, (object) => (isUnlabelled(object) ? [object.metadata.namespace ?? ''] : []));
  indexScalers(horizontalAutoscalers);
  pods.addIndex(BY_REVISION, (object) => labelKey(object, REVISION_LABEL));
  decisions.addIndex(BY_ROLLOUT, (object) => {
    const name = readString(object, 'spec', 'rolloutRef', 'name');
    return name === undefined ? [] : [toObjectKey({ namespace: object.metadata.namespace, name })];
  });
}

/** Keys of the revisions that a rollout names: its workloads are called like them. */
export function revisionsOfRollout(rollout: KubeObject): readonly ObjectKey[] {
  const lists = ['initialRevisions', 'targetRevisions', 'stageTargetRevisions'].map((list) => readField(rollout, 'spec', list));
  const names = [...lists, readField(rollout, 'status', 'control', 'attempt', 'stable')].flatMap(namesIn);
  return [...new Set(names)].map((name) => toObjectKey({ namespace: rollout.metadata.namespace, name }));
}

function namesIn(list: unknown): readonly string[] {
  return Array.isArray(list) ? list.flatMap((entry: unknown) => readString(entry, 'revisionName') ?? []) : [];
}

function labelKey(object: KubeObject, label: string): readonly ObjectKey[] {
  const name = object.metadata.labels?.[label];
  return name === undefined ? [] : [toObjectKey({ namespace: object.metadata.namespace, name })];
}

/** Keys of the rollouts that name a revision. */
export function rolloutsOfRevision({ rollouts }: RolloutStores, revision: ObjectKey): readonly ObjectKey[] {
  return rollouts.byIndex(BY_REVISION, revision).map(({ metadata }) => toObjectKey(metadata));
}

/** Key of the revision that a pod belongs to: by its label, or by the selector of a workload that was adopted without touching its pods. */
export function revisionOfPod({ deployments }: Pick<RolloutStores, 'deployments'>, pod: KubeObject): readonly ObjectKey[] {
  const labelled = labelKey(pod, REVISION_LABEL);
  if (labelled.length > 0) return labelled;
  const adopted = deployments.byIndex(UNLABELLED, pod.metadata.namespace ?? '');
  return adopted.filter((deployment) => selects(deployment, pod)).map(({ metadata }) => toObjectKey(metadata));
}

function isUnlabelled(deployment: KubeObject): boolean {
  return (
    deployment.metadata.labels?.[SERVICE_LABEL] !== undefined &&
    readString(deployment, 'spec', 'template', 'metadata', 'labels', REVISION_LABEL) === undefined
  );
}

function selects(deployment: KubeObject, pod: KubeObject): boolean {
  const selector = readField(deployment, 'spec', 'selector');
  return !isEmptySelector(selector) && matchesSelector(selector, labelsOf(pod));
}

/** Key of the rollout that an autoscaler belongs to. */
export function rolloutOfAutoscaler(autoscaler: KubeObject): readonly ObjectKey[] {
  return labelKey(autoscaler, SERVICE_LABEL);
}

/** Key of the rollout that a decision is about. */
export function rolloutOfDecision(decision: KubeObject): readonly ObjectKey[] {
  const name = readString(decision, 'spec', 'rolloutRef', 'name');
  return name === undefined ? [] : [toObjectKey({ namespace: decision.metadata.namespace, name })];
}

/** Pods of one revision. */
export function podsOf({ pods, deployments }: Pick<RolloutStores, 'pods' | 'deployments'>, revision: ObjectKey): readonly RevisionPod[] {
  const labelled = pods.byIndex(BY_REVISION, revision).map(readPod);
  const deployment = deployments.get(revision);
  if (deployment === undefined || !isUnlabelled(deployment)) return labelled;
  const { namespace, name = '' } = deployment.metadata;
  const adopted = pods.list(namespace).filter((pod) => pod.metadata.labels?.[REVISION_LABEL] === undefined && selects(deployment, pod));
  return [...labelled, ...adopted.map((pod) => ({ ...readPod(pod), revision: name }))];
}

/** Pods of given workloads among others: by label, or by the selector of a workload that was adopted without touching its pods. */
export function podsAmong(pods: readonly KubeObject[], workloads: readonly KubeObject[]): readonly RevisionPod[] {
  const names = new Set(workloads.map(({ metadata }) => metadata.name));
  const adopted = workloads.filter(isUnlabelled);
  return pods.flatMap((pod) => {
    const labelled = pod.metadata.labels?.[REVISION_LABEL];
    if (labelled !== undefined) return names.has(labelled) ? [readPod(pod)] : [];
    const owner = adopted.find((deployment) => selects(deployment, pod));
    return owner === undefined ? [] : [{ ...readPod(pod), revision: owner.metadata.name ?? '' }];
  });
}

/** What a rollout is observed in: the stores, and the computed status of its workloads. */
export interface RolloutSources extends RolloutStores {
  readonly status: Pick<LiveStatus, 'of'>;
}

/** One immutable look at a rollout and everything it goes by; null when it is gone. */
export function observe(stores: RolloutSources, key: ObjectKey, now: Instant): Observation | null {
  const object = stores.rollouts.get(key);
  if (object === undefined || object.metadata.deletionTimestamp !== undefined) return null;
  const ro = readRollout(object);
  const held = stores.autoscalers.byIndex(BY_ROLLOUT, key).map(readAutoscaler);
  const revisions = [...revisionNames(ro, held)].map((name) => toObjectKey({ namespace: ro.rollout.namespace, name }));
  const deployments = revisions.flatMap((revision) => stores.deployments.get(revision) ?? []);
  const isThere = (name: string) => stores.rollouts.get(toObjectKey({ namespace: ro.rollout.namespace, name })) !== undefined;
  return assemble(
    {
      ro,
      autoscalers: held,
      deployments,
      scalers: scalersOf(stores, deployments),
      failures: failuresAmong(deployments, stores.status),
      pods: revisions.flatMap((revision) => podsOf(stores, revision)),
      decisions: stores.decisions.byIndex(BY_ROLLOUT, key).flatMap((decision) => toPending(decision) ?? []),
      freshness: evaluateFreshness(stores, revisions, ro.rollout.namespace, now),
      taken: takenAmong(stores, key, revisions) ?? findForeignRevision(ro, deployments, isThere),
    },
    now,
  );
}

/** The first revision that another rollout scales: whose StagePodAutoscaler it is decides, so that no two pull at one workload. */
function takenAmong(
  { autoscalers }: Pick<RolloutStores, 'autoscalers'>,
  rollout: ObjectKey,
  revisions: readonly ObjectKey[],
): BlockedRevision | undefined {
  for (const revision of revisions) {
    const found = autoscalers.get(revision);
    if (found === undefined || rolloutOfAutoscaler(found).includes(rollout)) continue;
    return { revision: found.metadata.name ?? '', by: controllerOf(found)?.name ?? found.metadata.labels?.[SERVICE_LABEL] ?? null };
  }
  return undefined;
}

/** What the computed status says of the workloads that have failed, by name. */
function failuresAmong(deployments: readonly KubeObject[], status: Pick<LiveStatus, 'of'>): ReadonlyMap<string, string> {
  const told = deployments.map((deployment) => [deployment.metadata.name ?? '', status.of(deployment)] as const);
  return new Map(told.flatMap(([name, one]) => (one.status === 'Failed' ? [[name, sentenceOf(one)]] : [])));
}

/** What was read of one rollout, before figures are put together. */
export interface ObservationParts {
  readonly ro: RolloutObject;
  readonly autoscalers: readonly StageAutoscaler[];
  readonly deployments: readonly KubeObject[];
  /** What scales workloads by load, by the name of the workload. */
  readonly scalers?: ReadonlyMap<string, KubeObject>;
  /** What the computed status says of workloads that have failed, by name; absent where nobody asks. */
  readonly failures?: ReadonlyMap<string, string>;
  /** Undefined where nobody looked at pods: then what the StagePodAutoscalers mirror of them stands in. */
  readonly pods: readonly RevisionPod[] | undefined;
  readonly decisions: readonly PendingDecision[];
  /** How well it can be seen; absent where the objects were read just now. */
  readonly freshness?: Freshness;
  readonly taken?: BlockedRevision | undefined;
}

/** Puts one picture together: every figure is of the same moment. */
export function assemble(
  { ro, autoscalers, deployments, scalers, failures, pods, decisions, freshness, taken }: ObservationParts,
  now: Instant,
): Observation {
  const workloads = new Map<string, Workload>();
  const moments: Instant[] = freshness?.until === undefined ? [] : [freshness.until];
  for (const deployment of deployments) {
    const read = readWorkload(deployment, scalers?.get(deployment.metadata.name ?? ''));
    const { workload, changesAt } = settle(read);
    const failure = failures?.get(workload.revision);
    workloads.set(workload.revision, failure === undefined ? workload : { ...workload, failure });
    if (changesAt !== undefined) moments.push(changesAt);
  }
  return {
    view: toView({
      ro,
      autoscalers: autoscalers.map((autoscaler) => withFigures(autoscaler, workloads, pods)),
      workloads,
      pods: pods ?? [],
      staleKind: freshness?.staleKind,
      ungranted: ungrantedOf(ro.object),
      taken,
    }),
    decisions,
    ...(moments.length > 0 ? { changesAt: toInstant(Math.min(...moments)) } : {}),
  };

  function settle(workload: Workload): ReturnType<typeof settledWorkload> {
    const { minReadySeconds } = ro.policy;
    if (pods !== undefined) {
      const own = pods.filter(({ revision }) => revision === workload.revision);
      return settledWorkload(workload, own, { minReadySeconds, now });
    }
    const mirrored = autoscalers.find(({ name }) => name === workload.revision)?.figures.actualScale;
    if (minReadySeconds === 0 || mirrored === undefined) return { workload };
    return { workload: { ...workload, readyReplicas: Math.min(workload.readyReplicas, mirrored) } };
  }
}

function revisionNames({ rollout, control }: RolloutObject, held: readonly StageAutoscaler[]): ReadonlySet<string> {
  const { initialRevisions = [], targetRevisions = [], stageTargetRevisions = [] } = rollout.spec;
  const named = [
    ...initialRevisions,
    ...targetRevisions,
    ...stageTargetRevisions,
    ...(rollout.status.stageRevisionStatus ?? []),
    ...(control === undefined ? [] : stableOf(control)),
  ];
  return new Set([...named.map(({ revisionName }) => revisionName), ...held.map(({ name }) => name)]);
}

// The figures of this very moment rather than those that were mirrored a moment ago: one pass looks at one picture.
function withFigures(
  autoscaler: StageAutoscaler,
  workloads: ReadonlyMap<string, Workload>,
  pods: readonly RevisionPod[] | undefined,
): StageAutoscaler {
  const workload = workloads.get(autoscaler.name);
  const scales = scalesOf(workload);
  if (workload === undefined || scales === undefined) return { ...autoscaler, ready: false };
  if (pods === undefined) {
    const replicasTerminating = autoscaler.figures.replicasTerminating ?? 0;
    return { ...autoscaler, ready: true, livePods: workload.livePods, figures: { ...scales, replicasTerminating } };
  }
  const own = pods.filter(({ revision }) => revision === autoscaler.name);
  const livePods = livePodsOf(workload, own);
  const replicasTerminating = countTerminating(own.map(({ phase, deletionAt }) => ({ phase, deleting: deletionAt !== undefined })));
  return { ...autoscaler, ready: true, livePods, figures: { ...scales, replicasTerminating } };
}

/** A decision about a rollout that nobody has judged yet. Undefined when it was, or cannot be read, and for a rollback, which whoever has the application answers. */
export function toPending(object: KubeObject): PendingDecision | undefined {
  const phase = readString(object, 'status', 'phase') ?? 'Pending';
  const spec = phase === 'Pending' ? readDecisionSpec(object) : undefined;
  if (spec?.rolloutRef === undefined || spec.verb === 'rollback') return undefined;
  const { namespace = '', name = '', uid = '', creationTimestamp = '' } = object.metadata;
  return { object, namespace, name, uid, createdAt: creationTimestamp, spec };
}

/** The spec of a decision; undefined when it cannot be read. */
export function readDecisionSpec(object: KubeObject): StageDecisionSpec | undefined {
  const parsed = stageDecisionSpec.safeParse(readField(object, 'spec'));
  return parsed.success ? parsed.data : undefined;
}
