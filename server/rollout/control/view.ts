import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { controllerOf } from '@/lib/kube/object';
import { deepEqual } from '@/lib/std/deep-equal';
import type { Instant } from '@/lib/std/instant';
import { parseInstant, toInstant } from '@/lib/std/instant';
import type { Revisions, RolloutSpec, StageAutoscaler, StaleKind, TargetRevision } from '../model';
import type { RevisionPod, RolloutObject, Workload } from '../objects';
import { readRollout, scalesOf } from '../objects';
import type { Scales } from '../planning/current-scale';
import { sameTargets } from '../planning/retarget';
import { completedStage, lastStage } from '../stage/completion';
import { isTrue, isUnknown, READY } from '../stage/conditions';
import { abortOf, attemptOf, stableOf } from './control-facts';
import type { ControlState } from './state';
import { emptyControl } from './state';

/** One rollout at one moment: the object, what is remembered about it, and what runs. Never changed, only replaced. */
export interface RolloutView {
  readonly ro: RolloutObject;
  readonly control: ControlState;
  readonly autoscalers: readonly StageAutoscaler[];
  readonly workloads: ReadonlyMap<string, Workload>;
  readonly pods: readonly RevisionPod[];
  /** What of it cannot be seen now: nothing is concluded from the copies of that. */
  readonly staleKind?: StaleKind | undefined;
  /** Why the server may not scale what it moves, and the command that grants it: nothing is scaled before. */
  readonly ungranted?: string | undefined;
  /** A revision that another rollout scales already: this one leaves everything as it is. */
  readonly taken?: BlockedRevision | undefined;
}

/**
 * A revision that a rollout may not scale: its StagePodAutoscaler, or its workload, belongs to another rollout (null where nobody is named), or to an
 * application; or whoever wrote the rollout lacks the right.
 */
export interface BlockedRevision {
  readonly revision: string;
  readonly by: string | null;
  readonly why?: 'application' | 'rights';
}

/** A view with the state that is stored, or that of a rollout nobody has looked at. */
export function toView(seen: Omit<RolloutView, 'control'>): RolloutView {
  return { ...seen, control: seen.ro.control ?? emptyControl() };
}

/** A rollout as its object alone tells it, without what runs. */
export function storedView(rollout: KubeObject): RolloutView {
  return toView({ ro: readRollout(rollout), autoscalers: [], workloads: new Map(), pods: [] });
}

/** The name of the revision that the spec asks for: what decisions name. */
export function targetNameOf({ ro }: Pick<RolloutView, 'ro'>): string {
  return ro.rollout.spec.targetRevisions?.[0]?.revisionName ?? '';
}

/** True for the rollout of an application, which has other objects beside its revisions, and its own way back. */
export function isOfApplication({ ro }: Pick<RolloutView, 'ro'>): boolean {
  return controllerOf(ro.object)?.kind === KINDS.application.kind;
}

// A view is asked for its lists by everything that judges, plans or describes it.
const known = new WeakMap<RolloutView, RolloutSpec>();

/** The lists in force: those of the spec, or those that an abort or retry goes by, with every revision's own bounds. */
export function activeTargets(view: RolloutView): RolloutSpec {
  const held = known.get(view);
  if (held !== undefined) return held;
  const targets = readActiveTargets(view);
  known.set(view, targets);
  return targets;
}

function readActiveTargets(view: RolloutView): RolloutSpec {
  const { spec } = view.ro.rollout;
  const { initialRevisions, targetRevisions } = attemptOf(view.control)?.course ?? spec;
  const stable = stableOf(view.control);
  // A revision that was about to end has no part in what comes now: left out here, it drains as obsolete. The target grows again.
  const takesPart = ({ revisionName, percent }: TargetRevision) =>
    percent !== undefined || revisionName === targetRevisions?.[0]?.revisionName;
  return {
    ...spec,
    // On the way back nothing may shrink before the stable side has grown, whatever the strategy was on the way there.
    ...(abortOf(view.control) === undefined ? {} : { rolloutStrategy: 'availability' }),
    initialRevisions: initialRevisions && withOwnBounds(initialRevisions.filter(takesPart), view.workloads, stable),
    targetRevisions: targetRevisions && withOwnBounds(targetRevisions, view.workloads, stable),
  };
}

/**
 * Fills in bounds of revisions that come without any: from the annotations of their workload, else those of the stable side,
 * else the replicas that run now. Without a figure nothing could ever grow.
 */
export function withOwnBounds(revisions: Revisions, workloads: ReadonlyMap<string, Workload>, stable: Revisions): Revisions {
  return revisions.map((revision) => {
    if (revision.minScale !== undefined || revision.maxScale !== undefined) return revision;
    const workload = workloads.get(revision.revisionName);
    if (workload?.minScale !== undefined || workload?.maxScale !== undefined) {
      return { ...revision, minScale: workload.minScale, maxScale: workload.maxScale };
    }
    const model = stable.find(({ revisionName }) => revisionName === revision.revisionName) ?? stable[0];
    const replicas = Math.max(1, workload?.replicas ?? 1);
    return { ...revision, minScale: model?.minScale ?? replicas, maxScale: model?.maxScale ?? (model ? undefined : replicas) };
  });
}

/** True for the revision that an abort sends back once neither its workload nor a pod of it is there: it has nothing left to give. */
export function isGone({ control, workloads, pods, staleKind }: RolloutView, revision: string): boolean {
  if (staleKind !== undefined || workloads.has(revision) || abortOf(control)?.rejected !== revision) return false;
  return !pods.some((pod) => pod.revision === revision && pod.deletionAt === undefined);
}

/** A revision that a rollout which is through sends traffic to, and whose workload is not there any more; undefined where none is, or where that cannot be seen. */
export function lostTargetOf(view: RolloutView): string | undefined {
  if (view.staleKind !== undefined) return undefined;
  return activeTargets(view).targetRevisions?.find(({ revisionName, percent = 0 }) => percent > 0 && !view.workloads.has(revisionName))
    ?.revisionName;
}

/** The figures that planning goes by. */
export function scalesOfView(view: RolloutView): Scales {
  const { workloads, autoscalers, control } = view;
  const actual = new Map([...workloads.values()].map((workload) => [workload.revision, scalesOf(workload)?.actualScale]));
  const rejected = abortOf(control)?.rejected;
  if (rejected !== undefined && isGone(view, rejected)) actual.set(rejected, 0);
  return { actual, staged: new Set(autoscalers.map(({ name }) => name)) };
}

/** Ready pods by revision. */
export function readyOf({ workloads }: Pick<RolloutView, 'workloads'>): ReadonlyMap<string, number> {
  return new Map([...workloads.values()].map(({ revision, readyReplicas }) => [revision, readyReplicas]));
}

/** Where a rollout is among its stages. */
export type StagePosition = 'idle' | 'aborted' | 'running' | 'between' | 'complete';

/**
 * Whether the stage that stands in the spec was begun and has not come to its end, as its conditions tell. A boundary is remembered: where its conditions
 * were lost, it would come to the end of its stage once more, behind its own gate.
 */
export function isStageOpen({ ro, control }: RolloutView): boolean {
  return isUnknown(ro.rollout.status.conditions, 'StageReady') && control.state !== 'boundary';
}

/** Where the rollout is: nothing asked for, put back, a stage under way, between two stages, or through. */
export function stagePositionOf(view: RolloutView): StagePosition {
  const spec = activeTargets(view);
  const { conditions, stageRevisionStatus } = view.ro.rollout.status;
  if ((spec.targetRevisions ?? []).length === 0) return 'idle';
  if (view.control.state === 'aborted') return 'aborted';
  const stage = spec.stageTargetRevisions;
  if (stage === undefined) return 'between';
  if (isStageOpen(view) || !isStageReached(view)) return 'running';
  return lastStage(stageRevisionStatus, spec.targetRevisions) && isTrue(conditions, 'LastStageReady') ? 'complete' : 'between';
}

/** True when the stage in the spec is the one that the status says was completed. */
export function isStageReached(view: RolloutView): boolean {
  const { stageTargetRevisions: stage = [], targetRevisions: target = [] } = activeTargets(view);
  return deepEqual(completedStage(stage, target), view.ro.rollout.status.stageRevisionStatus ?? []);
}

/**
 * Since when the target that the spec asks for carries everything and everything is ready; undefined before, and while the newest spec has not
 * been looked at. What has no date counts as old.
 */
export function completeSince(view: RolloutView): Instant | undefined {
  const { generation, spec, status } = view.ro.rollout;
  const held = attemptOf(view.control);
  const ready = status.conditions.find(({ type }) => type === READY);
  const isLookedAt =
    status.observedGeneration === generation && (held === undefined || sameTargets(held.target, spec.targetRevisions ?? []));
  if (!isLookedAt || ready?.status !== 'True' || stagePositionOf(view) !== 'complete') return undefined;
  return parseInstant(ready.lastTransitionTime) ?? toInstant(0);
}

/** Until when an abort keeps the rejected pods although the stable side is ready; undefined without a delay. */
export function keptUntil({ control, ro }: RolloutView): Instant | undefined {
  const abortedAt = parseInstant(abortOf(control)?.since);
  const delayMs = ro.policy.abortScaleDownDelaySeconds * 1000;
  return abortedAt !== undefined && delayMs > 0 ? toInstant(abortedAt + delayMs) : undefined;
}

/** Entry of a list by name. */
export function entryOf(revisions: Revisions | undefined, name: string): TargetRevision | undefined {
  return revisions?.find(({ revisionName }) => revisionName === name);
}
