import type { Instant } from '@/lib/std/instant';
import { toIso } from '@/lib/std/instant';
import type { Revisions, RolloutSpec } from '../model';
import { maxOf, minOf, readDirection } from '../model';
import { retarget, sameTargets } from '../planning/retarget';
import { lastStage } from '../stage/completion';
import { manageRolloutConditions } from '../stage/conditions';
import { applyEvent } from './apply-event';
import { pastAfter } from './attempts';
import { attemptOf, completedOf, stableOf } from './control-facts';
import type { Attempt } from './state';
import { withHistory } from './state';
import type { RolloutView } from './view';
import { activeTargets, readyOf, stagePositionOf, targetNameOf, withOwnBounds } from './view';

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
  const held = attemptOf(control);
  if (target.length === 0) return view;
  if (held && sameTargets(held.target, target)) return withoutUnnotedStage(view);
  const isMidway = held !== undefined && wasActive(view);
  // Whoever changes the target also clears the stage and says where to start. One who did not gets the same from us.
  const forgotten = held !== undefined && ro.rollout.spec.stageTargetRevisions !== undefined;
  const started: RolloutView = forgotten ? withSpec(view, NO_STAGE) : view;
  const given = forgotten ? startOf(view, target) : ro.rollout.spec.initialRevisions;
  const initial = held === undefined || isKnownStart(view, given) ? given : lastKnownStart(view);
  const isKept = isMidway || control.state === 'aborted';
  const stable = isKept ? stableOf(control) : withOwnBounds(carrying(initial), view.workloads, []);
  const name = targetNameOf(view);
  const from = stable.map(({ revisionName }) => revisionName).join(', ');
  const id = `${ro.rollout.uid}/${name}/${ro.rollout.generation}`;
  const attempt: Attempt = {
    id,
    kind: ro.rolledBackTo === name ? 'rollback' : 'rollout',
    target: target.map(({ revisionName, percent }) => ({ revisionName, percent })),
    startedAt: toIso(now),
    stable,
    floor: 0,
    full: false,
    stages: [],
    ...(forgotten || given !== initial ? { course: { initialRevisions: initial, targetRevisions: target } } : {}),
  };
  const begun = applyEvent(started, { type: 'targetChanged', at: now, attempt, past: pastAfter(control, now), isMidway });
  const message = from === '' ? `first deployment of ${name}` : `rollout from ${from} to ${name}`;
  const noted = withHistory(begun.control, {
    id: `${id}/started`,
    at: toIso(now),
    actor: ENGINE_ACTOR,
    action: 'rollout.started',
    message,
  });
  const founded = withFloor({ ...begun, control: noted }, stable);
  return held === undefined ? atReachedStage(founded, now) : founded;
}

/**
 * At a boundary that is remembered, a stage beyond it was written by a pass that died before it noted it: as if it had not been written, so that
 * whatever opened the gate is judged, and answered, once more. Where nothing opens it by now, the stage is taken back.
 */
function withoutUnnotedStage(view: RolloutView): RolloutView {
  const { control, ro } = view;
  if (control.state !== 'boundary' || stagePositionOf(view) !== 'running') return view;
  if (control.stage === 0) return withSpec(view, NO_STAGE);
  const { stageRevisionStatus: reached = [] } = ro.rollout.status;
  return reached.length === 0 ? view : withSpec(view, { stageTargetRevisions: reached });
}

/** A rollout between two stages of which nothing is remembered, since a definition dropped it, or somebody else made the stage: the gate after that one is closed. */
function atReachedStage(view: RolloutView, now: Instant): RolloutView {
  const { spec, status } = view.ro.rollout;
  const { stageRevisionStatus: reached = [] } = status;
  if (spec.stageTargetRevisions === undefined || stagePositionOf(view) !== 'between' || lastStage(reached, spec.targetRevisions))
    return view;
  const stage = reached.map((revision) => ({
    revision: revision.revisionName,
    direction: readDirection(revision),
    percent: revision.percent ?? 0,
  }));
  const percent = stage.find(({ revision }) => revision === targetNameOf(view))?.percent ?? 0;
  const started = applyEvent(view, { type: 'stageStarted', at: now, stage, isPastGate: false });
  return applyEvent(started, { type: 'stageReached', at: now, percent, isLast: false, ready: readyOf(view) });
}

function carrying(revisions: Revisions = []): Revisions {
  return revisions.filter(({ percent = 0 }) => percent > 0);
}

/** The floor goes by the bounds of the lists in force, and those are known once the attempt is. */
function withFloor(view: RolloutView, stable: Revisions): RolloutView {
  const { control } = view;
  if (control.state === 'idle') return view;
  const floor = floorOf(stable, activeTargets(view).targetRevisions ?? []);
  return { ...view, control: { ...control, attempt: { ...control.attempt, floor } } };
}

// Measured against the target that is remembered, since the spec already names another one.
function wasActive(view: RolloutView): boolean {
  const { control } = view;
  // The stage in the spec may be the first of the new target: a crash came between writing it and noting who it is for.
  if (control.state === 'done') return false;
  const held = attemptOf(control);
  const before = withSpec(view, { targetRevisions: held?.course?.targetRevisions ?? held?.target ?? [] });
  if (view.ro.rollout.spec.stageTargetRevisions !== undefined) return ['running', 'between'].includes(stagePositionOf(before));
  return control.state === 'stage' || control.state === 'boundary' || control.state === 'returning';
}

function startOf(view: RolloutView, target: Revisions): Revisions | undefined {
  const { rollout } = view.ro;
  const before = { spec: { ...activeTargets(view), targetRevisions: attemptOf(view.control)?.target }, status: rollout.status };
  const workloads = [...view.workloads.values()];
  const hasTraffic = workloads.some(({ readyReplicas }) => readyReplicas > 0);
  return retarget({ ro: before, ultimateRevisions: target, hasTraffic, workloads }).initialRevisions;
}

// Whoever says that it starts from nothing, or from where it never was, would go past every gate before that.
function isKnownStart({ ro, control }: RolloutView, start: Revisions | undefined): boolean {
  const under = attemptOf(control)
    ?.stages.at(-1)
    ?.revisions.map(({ revision, percent }) => ({ revisionName: revision, percent }));
  const { stageTargetRevisions } = ro.rollout.spec;
  const known = [ro.rollout.status.stageRevisionStatus, stableOf(control), stageTargetRevisions, under].map(sharesOf);
  return sharesOf(start) !== '' && known.includes(sharesOf(start));
}

function sharesOf(revisions: Revisions | undefined): string {
  const shares = carrying(revisions).map(({ revisionName, percent }) => `${revisionName} ${percent}`);
  return shares.sort().join(', ');
}

// A start that got lost between two quick changes would look like a first deployment, which switches in one go.
function lastKnownStart({ ro, control }: RolloutView): Revisions | undefined {
  const reached = ro.rollout.status.stageRevisionStatus ?? [];
  return reached.length > 0 ? reached : stableOf(control);
}

/** The ready replicas that must never be undercut: the stable side's minimum, or what the target is certain to run when that is less. */
export function floorOf(stable: Revisions, target: Revisions): number {
  const held = stable.reduce((sum, revision) => sum + minOf(revision), 0);
  const certain = target.reduce((sum, revision) => sum + Math.min(revision.minScale ?? maxOf(revision), maxOf(revision), held), 0);
  return Math.min(held, certain);
}

/** Turns back to where the rollout started. Without such a place the pods are left for inspection. */
export function startAbort(
  view: RolloutView,
  { actor, reason, now }: { readonly actor: string; readonly reason: string; readonly now: Instant },
): RolloutView {
  const stable = stableOf(view.control);
  const rejected = targetNameOf(view);
  const spec = activeTargets(view);
  const untouched = spec.stageTargetRevisions === undefined && completedOf(view.control) === 0;
  const start = spec.stageTargetRevisions ?? view.ro.rollout.status.stageRevisionStatus ?? spec.initialRevisions ?? [];
  const bare = (revisions: Revisions): Revisions =>
    revisions.map((revision) => ({ ...revision, direction: undefined, targetReplicas: undefined, latestRevision: false }));
  const targets = stable.length === 0 || untouched ? undefined : { initialRevisions: bare(start), targetRevisions: bare(stable) };
  const turned = applyEvent(view, { type: 'abortAsked', at: now, rejected, reason, ready: readyOf(view), targets });
  const id = `${attemptOf(view.control)?.id ?? rejected}/aborted/${toIso(now)}`;
  const entry = { id, at: toIso(now), actor, action: 'rollout.aborted', message: reason };
  const noted = actor === ENGINE_ACTOR ? { ...turned, control: withHistory(turned.control, entry) } : turned;
  const stopped = withConditions(noted, manageRolloutConditions(now).stageFailed(view.ro.rollout.status.conditions, `aborted: ${reason}`));
  // With nowhere to go back to, or nothing moved yet, the stage stays what it is.
  return targets === undefined ? stopped : withSpec(stopped, NO_STAGE);
}

/** Goes to the rejected revision once more, from where the abort left things or has got to. */
export function startRetry(view: RolloutView, now: Instant): RolloutView {
  const { control, ro } = view;
  const reached = ro.rollout.status.stageRevisionStatus ?? [];
  const stable = stableOf(control);
  const left =
    control.state === 'aborted' ? undefined : (ro.rollout.spec.stageTargetRevisions ?? attemptOf(control)?.course?.initialRevisions);
  const start = left ?? (reached.length > 0 ? reached : stable);
  const targets = { initialRevisions: stable.length === 0 ? undefined : start, targetRevisions: ro.rollout.spec.targetRevisions ?? [] };
  return withSpec(applyEvent(view, { type: 'retryAsked', at: now, past: pastAfter(control, now), targets }), NO_STAGE);
}
