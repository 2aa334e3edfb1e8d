import type { Instant } from '@/lib/std/instant';
import { toIso } from '@/lib/std/instant';
import type { Revisions, RolloutSpec } from '../model';
import { maxOf, minOf } from '../model';
import { retarget, sameTargets } from '../planning/retarget';
import { rolloutMarks } from '../stage/conditions';
import { pastAfter, withStageEnded } from './attempts';
import type { ControlState } from './state';
import { emptyControl, withHistory } from './state';
import type { RolloutView } from './view';
import { courseSpec, standingOf, targetNameOf, withOwnBounds } from './view';

/** Who the engine is on record as. */
export const ENGINE_ACTOR = 'slipway';

/** Replaces parts of a view; the stage of the spec is ours, so changes of it are made here first and written later. */
export function withSpec(view: RolloutView, spec: Partial<RolloutSpec>): RolloutView {
  const { ro } = view;
  return { ...view, ro: { ...ro, rollout: { ...ro.rollout, spec: { ...ro.rollout.spec, ...spec } } } };
}

export function withConditions(view: RolloutView, conditions: RolloutView['ro']['rollout']['status']['conditions']): RolloutView {
  const { ro } = view;
  return { ...view, ro: { ...ro, rollout: { ...ro.rollout, status: { ...ro.rollout.status, conditions } } } };
}

const NO_STAGE = { stageTargetRevisions: undefined, targetFinishTime: undefined } as const;

/** Begins anew when the spec asks for another target than the one remembered; the same view when it does not. */
export function followTarget(view: RolloutView, now: Instant): RolloutView {
  const { control, ro } = view;
  const target = ro.rollout.spec.targetRevisions ?? [];
  if (target.length === 0 || (control.rollout && sameTargets(control.rollout.target, target))) return view;
  const midway = control.rollout !== undefined && control.stable !== undefined && wasActive(view);
  // Whoever changes the target also clears the stage and says where to start. One who did not gets the same from us.
  const forgotten = control.rollout !== undefined && ro.rollout.spec.stageTargetRevisions !== undefined;
  const started: RolloutView = forgotten ? withSpec(view, NO_STAGE) : view;
  const given = forgotten ? startOf(view, target) : ro.rollout.spec.initialRevisions;
  const initial = given ?? (control.rollout ? lastKnownStart(view) : undefined);
  const kept = midway || control.abortDone;
  const stable = kept
    ? (control.stable ?? [])
    : withOwnBounds(
        (initial ?? []).filter(({ percent }) => (percent ?? 0) > 0),
        view.workloads,
        [],
      );
  const name = targetNameOf(view);
  const from = stable.map(({ revisionName }) => revisionName).join(', ');
  const id = `${ro.rollout.uid}/${name}/${ro.rollout.generation}`;
  const fresh: ControlState = {
    ...emptyControl(),
    rollout: { id, target: target.map(({ revisionName, percent }) => ({ revisionName, percent })), startedAt: toIso(now) },
    stable,
    paused: midway && control.paused,
    pausedAt: midway ? control.pausedAt : undefined,
    handled: control.handled,
    history: control.history,
    past: pastAfter(control, now),
    ...(forgotten || given !== initial ? { course: { initialRevisions: initial, targetRevisions: target } } : {}),
  };
  const message = from === '' ? `first deployment of ${name}` : `rollout from ${from} to ${name}`;
  const next = { ...started, control: withHistory(fresh, { id: `${id}/started`, at: toIso(now), actor: ENGINE_ACTOR, action: 'rollout.started', message }) };
  return { ...next, control: { ...next.control, floor: floorOf(stable, courseSpec(next).targetRevisions ?? []) } };
}

// Measured against the target that is remembered, since the spec already names another one.
function wasActive(view: RolloutView): boolean {
  const { control } = view;
  const target = control.course?.targetRevisions ?? control.rollout?.target ?? [];
  const before = withSpec(view, { targetRevisions: target });
  if (view.ro.rollout.spec.stageTargetRevisions !== undefined) return ['running', 'between'].includes(standingOf(before));
  return control.phase !== 'Healthy' && !control.abortDone;
}

function startOf(view: RolloutView, target: Revisions): Revisions | undefined {
  const { rollout } = view.ro;
  const before = { spec: { ...courseSpec(view), targetRevisions: view.control.rollout?.target }, status: rollout.status };
  const workloads = [...view.workloads.values()];
  const hasTraffic = workloads.some(({ readyReplicas }) => readyReplicas > 0);
  return retarget({ ro: before, ultimateRevisions: target, hasTraffic, workloads }).initialRevisions;
}

// A start that got lost between two quick changes would look like a first deployment, which switches in one go.
function lastKnownStart({ ro, control }: RolloutView): Revisions | undefined {
  const reached = ro.rollout.status.stageRevisionStatus ?? [];
  return reached.length > 0 ? reached : control.stable;
}

/** The ready replicas that must never be undercut: the stable side's minimum, or what the target is certain to run when that is less. */
export function floorOf(stable: Revisions, target: Revisions): number {
  const held = stable.reduce((sum, revision) => sum + minOf(revision), 0);
  const certain = target.reduce((sum, revision) => sum + Math.min(revision.minScale ?? maxOf(revision), maxOf(revision), held), 0);
  return Math.min(held, certain);
}

/** Turns back to where the rollout started. Without such a place the pods are left for inspection. */
export function startAbort(view: RolloutView, { actor, reason, now }: { readonly actor: string; readonly reason: string; readonly now: Instant }): RolloutView {
  const { control } = view;
  const stable = control.stable ?? [];
  const rejectedRevision = targetNameOf(view);
  const spec = courseSpec(view);
  const untouched = spec.stageTargetRevisions === undefined && control.completedStages === 0;
  const start = spec.stageTargetRevisions ?? view.ro.rollout.status.stageRevisionStatus ?? spec.initialRevisions ?? [];
  const bare = (revisions: Revisions): Revisions =>
    revisions.map((revision) => ({ ...revision, direction: undefined, targetReplicas: undefined, latestRevision: false }));
  const next: ControlState = {
    ...withStageEnded(control, { failed: true, workloads: view.workloads, now }),
    abort: true,
    abortedAt: toIso(now),
    abortReason: reason,
    abortDone: stable.length === 0 || untouched,
    rejectedRevision,
    paused: false,
    pausedAt: undefined,
    promoteFull: false,
    advanced: undefined,
    approvals: [],
    completedStages: 0,
    currentStageIndex: 0,
    stageReadyAt: undefined,
    progress: undefined,
    health: emptyControl().health,
    course: stable.length === 0 ? control.course : { initialRevisions: bare(start), targetRevisions: bare(stable) },
  };
  const id = `${control.rollout?.id ?? rejectedRevision}/aborted/${toIso(now)}`;
  const noted = actor === ENGINE_ACTOR ? withHistory(next, { id, at: toIso(now), actor, action: 'rollout.aborted', message: reason }) : next;
  const failed = rolloutMarks(now).stageFailed(view.ro.rollout.status.conditions, `aborted: ${reason}`);
  const stopped = withConditions({ ...view, control: noted }, failed);
  // With nowhere to go back to, or nothing moved yet, the stage stays what it is.
  return next.abortDone ? stopped : withSpec(stopped, NO_STAGE);
}

/** Goes to the rejected revision once more, from where the abort left things or has got to. */
export function startRetry(view: RolloutView, now: Instant): RolloutView {
  const { control, ro } = view;
  const reached = ro.rollout.status.stageRevisionStatus ?? [];
  const stable = control.stable ?? [];
  const left = control.abortDone ? undefined : (ro.rollout.spec.stageTargetRevisions ?? control.course?.initialRevisions);
  const start = left ?? (reached.length > 0 ? reached : stable);
  const next: ControlState = {
    ...emptyControl(),
    rollout: control.rollout && { ...control.rollout, startedAt: toIso(now), kind: 'retry' },
    stable: control.stable,
    floor: control.floor,
    handled: control.handled,
    history: control.history,
    past: pastAfter(control, now),
    course: {
      initialRevisions: stable.length === 0 ? undefined : start,
      targetRevisions: ro.rollout.spec.targetRevisions ?? [],
    },
  };
  return withSpec({ ...view, control: next }, NO_STAGE);
}
