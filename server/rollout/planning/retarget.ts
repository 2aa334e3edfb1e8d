import type { Revisions, Rollout, RolloutSpec } from '../model';
import { readDirection } from '../model';
import { isTrue, READY } from '../stage/conditions';

/** A revision's workload as planning looks at it. Absent fields are not reported. */
export interface WorkloadScale {
  readonly revision: string;
  readonly replicas?: number | undefined;
  readonly availableReplicas?: number | undefined;
  readonly available?: boolean | undefined;
}

export interface RetargetInput {
  readonly ro: Pick<Rollout, 'spec' | 'status'>;
  readonly ultimateRevisions: Revisions;
  /** True when anything is served now. */
  readonly hasTraffic: boolean;
  readonly workloads: readonly WorkloadScale[];
}

/** True when two target lists ask for the same end: position by position the same revision with the same percent. */
export function sameTargets(left: Revisions, right: Revisions): boolean {
  if (left.length !== right.length) return false;
  return left.every(
    ({ revisionName, percent }, at) => revisionName === right[at]?.revisionName && (percent ?? 0) === (right[at]?.percent ?? 0),
  );
}

/** The spec after the service changed: the same one when the target is the same, else one that starts from where things stand. */
export function retarget({ ro, ultimateRevisions, hasTraffic, workloads }: RetargetInput): RolloutSpec {
  const { spec } = ro;
  if (sameTargets(spec.targetRevisions ?? [], ultimateRevisions)) return spec;
  return {
    ...spec,
    initialRevisions: newStart(ro, hasTraffic, workloads),
    targetRevisions: ultimateRevisions,
    stageTargetRevisions: undefined,
    targetFinishTime: undefined,
  };
}

function newStart({ spec, status }: RetargetInput['ro'], hasTraffic: boolean, workloads: readonly WorkloadScale[]): Revisions | undefined {
  const reached = status.stageRevisionStatus ?? [];
  if (reached.length === 0) return hasTraffic ? spec.initialRevisions : undefined;
  if (isTrue(status.conditions, 'StageReady') || isTrue(status.conditions, READY)) return reached;
  const stage = spec.stageTargetRevisions ?? [];
  if (!hasTraffic || stage.length === 0) return undefined;
  const growing = stage.find((revision) => readDirection(revision) === 'up');
  return workloads.some((workload) => workload.revision === growing?.revisionName && hasPods(workload)) ? stage : reached;
}

function hasPods({ replicas, availableReplicas = 0 }: WorkloadScale): boolean {
  return replicas !== undefined && availableReplicas > 0 && availableReplicas <= replicas;
}
