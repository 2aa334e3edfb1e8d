import { getCondition } from '@/lib/kube/condition';
import { abortOf, stableOf } from '../control/control-facts';
import type { RolloutView } from '../control/view';
import { activeTargets, entryOf, readyOf, targetNameOf } from '../control/view';
import type { HorizontalAutoscaler } from '../horizontal-autoscaler';
import type { Revisions, StageAutoscaler, StageBounds, TargetRevision } from '../model';
import { readDirection } from '../model';
import type { Workload } from '../objects';
import { isParked } from '../scale';
import { figuresOfGone } from '../stage/spa-status';
import { shareOf } from './changes';
import type { RevisionDescription, ScalerDescription } from './description';

/** Every revision that takes part, with its bounds and figures; the target last. */
export function describeRevisions(view: RolloutView): readonly RevisionDescription[] {
  const spec = activeTargets(view);
  const asked = view.ro.rollout.spec;
  const { stageTargetRevisions: stage = [], initialRevisions: initial = [], targetRevisions: target = [] } = spec;
  const lists = {
    stage,
    owns: [...target, ...initial, ...stableOf(view.control), ...(asked.targetRevisions ?? []), ...(asked.initialRevisions ?? [])],
  };
  const names = [...new Set([...lists.owns, ...stage].map(({ revisionName }) => revisionName))];
  const ready = readyOf(view);
  const revisions = names.map((name): RevisionDescription => {
    const { workload, autoscaler } = foundOf(view, name);
    return {
      revision: name,
      isRejected: abortOf(view.control)?.rejected === name,
      exists: workload !== undefined,
      scaler: workload?.autoscaler === undefined ? null : describeScaler(workload.autoscaler, workload),
      percentByPods: shareOf(ready, name),
      ...figuresOf(workload, isDeleted(view, name) ? emptied(autoscaler, view) : autoscaler),
      ...partOf(view, name, lists),
    };
  });
  return revisions.sort((a, b) => Number(a.role === 'new') - Number(b.role === 'new') || (a.revision < b.revision ? -1 : 1));
}

function foundOf(
  view: RolloutView,
  name: string,
): { readonly workload: Workload | undefined; readonly autoscaler: StageAutoscaler | undefined } {
  return { workload: view.workloads.get(name), autoscaler: view.autoscalers.find((one) => one.name === name) };
}

/**
 * True for a revision whose workload went, of a rollout that has others: what its StagePodAutoscaler mirrored last is of then. Where no revision has a
 * workload of its name another controller keeps them, and tells the figures there.
 */
function isDeleted({ workloads, pods, staleKind }: RolloutView, name: string): boolean {
  if (staleKind !== undefined || workloads.size === 0 || workloads.has(name)) return false;
  return !pods.some(({ revision, deletionAt }) => revision === name && deletionAt === undefined);
}

/** What was mirrored of a workload that is not there any more, as it is now. */
function emptied(autoscaler: StageAutoscaler | undefined, { pods }: RolloutView): StageAutoscaler | undefined {
  if (autoscaler?.figures.actualScale === undefined) return autoscaler;
  return { ...autoscaler, figures: figuresOfGone(pods.filter(({ revision }) => revision === autoscaler.name)) };
}

function figuresOf(workload: Workload | undefined, autoscaler: StageAutoscaler | undefined) {
  const { figures, bounds } = autoscaler ?? { figures: undefined, bounds: undefined };
  return {
    desired: figures?.desiredScale ?? null,
    actual: workload?.readyReplicas ?? figures?.actualScale ?? null,
    terminating: figures?.replicasTerminating ?? null,
    stageMin: bounds?.stageMinScale ?? null,
    stageMax: bounds?.stageMaxScale ?? null,
  };
}

interface Lists {
  readonly stage: Revisions;
  /** Entries with the revisions' own bounds; the first of a name counts. */
  readonly owns: Revisions;
}

/** The part of a revision in the stage, and the bound in force. */
function partOf(view: RolloutView, name: string, { stage, owns }: Lists) {
  const staged = entryOf(stage, name);
  const own = entryOf(owns, name);
  const { workload, autoscaler } = foundOf(view, name);
  const isTarget = name === targetNameOf(view);
  const role: RevisionDescription['role'] = isTarget ? 'new' : staged && readDirection(staged) === 'stay' ? 'stay' : 'old';
  return {
    role,
    ownMin: own?.minScale ?? workload?.minScale ?? null,
    ownMax: own?.maxScale ?? workload?.maxScale ?? null,
    target: staged?.targetReplicas ?? null,
    inForce: boundInForce(autoscaler?.bounds, staged, own),
    percentPlanned: staged === undefined ? (isTarget ? 0 : null) : (staged.percent ?? 0),
  };
}

function boundInForce(
  bounds: StageBounds | undefined,
  staged: TargetRevision | undefined,
  own: TargetRevision | undefined,
): RevisionDescription['inForce'] {
  if (bounds === undefined) return 'own';
  if (isParked(bounds, staged)) return 'parked';
  const { stageMinScale, stageMaxScale } = bounds;
  const lowersMin = stageMinScale !== undefined && stageMinScale < (own?.minScale ?? 0);
  const lowersMax = stageMaxScale !== undefined && stageMaxScale < (own?.maxScale || Number.POSITIVE_INFINITY);
  return lowersMin || lowersMax ? 'stage' : 'own';
}

/** Who scales a workload by load, and what comes of it now. */
function describeScaler({ object, name, range }: HorizontalAutoscaler, { replicas }: Workload): ScalerDescription {
  const active = getCondition(object, 'ScalingActive');
  const isBlind = active?.status === 'False' && active.reason !== 'ScalingDisabled';
  const state = replicas === 0 ? 'asleep' : isBlind ? 'holding' : 'scaling';
  return { name, ...range, state, message: state === 'holding' ? (active?.message ?? null) : null };
}
