import { deepEqual } from '@/lib/std/deep-equal';
import type { Exactness } from '@/lib/words/rollout-message';
import { abortOf, attemptOf, completedOf, isPromoted, reachedOf } from '../control/control-facts';
import { isGated } from '../control/gates';
import type { RolloutView } from '../control/view';
import { activeTargets, entryOf, scalesOfView, stagePositionOf } from '../control/view';
import type { StageFault } from '../fault';
import { getStageFault } from '../fault';
import type { Revisions, RolloutSpec, RolloutStatus, StageBounds, TargetRevision } from '../model';
import { readDirection } from '../model';
import type { StageConfig } from '../planning/config';
import type { Scales } from '../planning/current-scale';
import type { StagePlan } from '../planning/next-stage';
import { nextStage } from '../planning/next-stage';
import { outcomeOf } from '../scale';
import { DRAINED, updateSPAForRevDown, updateSPAForRevUp } from '../stage/bounds';
import { completedStage, lastStage, splitRevisions } from '../stage/completion';
import { strategyOf } from '../stage/steps';
import type { Outcomes } from './outcomes';
import { currentOutcomes } from './outcomes';

/** One stage of the way that is left: the one under way, or one to come as it follows when each is reached exactly. */
export interface PlannedStage {
  /** 1-based; the stage under way has the number after the last completed one. */
  readonly index: number;
  readonly isCurrent: boolean;
  readonly revisions: Revisions;
  readonly finish: StagePlan['finish'];
  /** Percent of the target once it is reached. */
  readonly percent: number;
  readonly isLast: boolean;
  /** True when the rollout is held at its end until people agree. */
  readonly isGated: boolean;
  /** Replicas of every revision once it is reached; where an autoscaler counts, anything within the range. */
  readonly outcomes: Outcomes;
}

const MAX_STAGES = 200;
const BETWEEN_STAGES: RolloutStatus['conditions'] = [{ type: 'StageReady', status: 'True' }];

/** The configuration in force: everything at once on the way back, or when somebody promoted fully. */
export function configOf({ ro, control }: RolloutView): StageConfig {
  return isPromoted(control) || abortOf(control) !== undefined ? { ...ro.config, overConsumptionRatio: 100 } : ro.config;
}

/** Stages to come, and what is in the way of planning further. */
export interface PlannedStages {
  readonly stages: readonly PlannedStage[];
  readonly fault?: StageFault | undefined;
}

/** Every stage that is left. The same planner, figures, gates and bounds as the runner's: it takes the first of them. */
export function listRemainingStages(view: RolloutView): PlannedStages {
  const stages: PlannedStage[] = [];
  try {
    for (const stage of remainingStages(view)) stages.push(stage);
    return { stages };
  } catch (error) {
    const fault = getStageFault(error);
    if (fault === undefined) throw error;
    return { stages, fault };
  }
}

/** The stages that are left, one by one; throws StageFault where the scales that a stage is planned by are not known. */
export function* remainingStages(view: RolloutView): Generator<PlannedStage> {
  const position = stagePositionOf(view);
  if (position !== 'running' && position !== 'between') return;
  const { control } = view;
  const spec = activeTargets(view);
  const { initialRevisions, targetRevisions: target = [] } = spec;
  const world = new World(view, spec);
  const config = configOf(view);
  let { status } = view.ro.rollout;
  let stage = spec.stageTargetRevisions;
  let before = reachedOf(control).percent;
  const first = completedOf(control) + 1;
  for (let index = first; index < first + MAX_STAGES; index++) {
    const isCurrent = position === 'running' && index === first;
    let finish: StagePlan['finish'] = 'keep';
    if (!isCurrent) {
      const next = nextStage(
        { spec: { initialRevisions, targetRevisions: target, stageTargetRevisions: stage }, status },
        config,
        world.scales,
      );
      // The target alone serves already, only with other bounds: a stage of it alone brings the rollout to its end.
      const planned = next.stageTargetRevisions ?? target;
      if (deepEqual(planned, stage ?? [])) return;
      ({ finish } = next);
      stage = planned;
    }
    const revisions = stage ?? [];
    const reached = completedStage(revisions, target);
    const percent = entryOf(reached, target[0]?.revisionName ?? '')?.percent ?? 0;
    const isLast = lastStage(reached, target);
    const gated = !isLast && isGated({ policy: view.ro.policy, control }, { stage: index, before, percent });
    yield { index, isCurrent, revisions, finish, percent, isLast, isGated: gated, outcomes: world.reach(revisions) };
    if (isLast) return;
    status = { conditions: BETWEEN_STAGES, stageRevisionStatus: reached };
    before = percent;
  }
}

/** What a stage leaves a revision: a count, or where an autoscaler counts, the bound that the stage moves. */
export function countOf({ revisions, outcomes }: PlannedStage, revision: string): { readonly replicas: number; readonly exact: Exactness } {
  const { min, max } = outcomes.get(revision)?.range ?? NOTHING;
  if (min === max) return { replicas: max, exact: 'exactly' };
  const entry = entryOf(revisions, revision);
  return entry !== undefined && readDirection(entry) === 'up' ? { replicas: min, exact: 'atLeast' } : { replicas: max, exact: 'atMost' };
}

const NOTHING = { min: 0, max: 0 };

/**
 * Of replicas that are ready those that are asked for. A Deployment that was scaled down may go on counting pods that are gone, when their
 * objects are not there any more to tell otherwise; planned by those, the next stage would be too large.
 */
function amongAsked(ready: number | undefined, asked: number): number | undefined {
  return ready === undefined ? undefined : Math.min(ready, asked);
}

/** Replicas as they are and as stages that are reached leave them: what the runner's bounds make of each revision. */
class World {
  readonly #workloads: RolloutView['workloads'];
  readonly #start: ReadonlySet<string>;
  #outcomes: Outcomes;
  readonly #actual: Map<string, number | undefined>;
  readonly #staged: Set<string>;
  /** What planning goes by; it changes with every stage that is reached. */
  readonly scales: Scales;

  constructor(view: RolloutView, spec: RolloutSpec) {
    const { actual, staged } = scalesOfView(view);
    this.#workloads = view.workloads;
    this.#start = new Set((spec.initialRevisions ?? []).map(({ revisionName }) => revisionName));
    this.#outcomes = currentOutcomes(view);
    this.#actual = new Map(
      [...actual].map(([revision, ready]) => [revision, amongAsked(ready, view.workloads.get(revision)?.replicas ?? 0)]),
    );
    this.#staged = new Set(staged);
    // Planning on fewer than the floor, after pods died or a retarget cut a stage short, would ask for a lowering that
    // availability can never grant.
    const floor = strategyOf(spec.rolloutStrategy) === 'availability' ? attemptOf(view.control)?.floor : 0;
    this.scales = { actual: this.#actual, staged: this.#staged, floor };
  }

  /** Replicas once a stage is reached. */
  reach(stage: Revisions): Outcomes {
    this.#outcomes = this.#outcomes.copy();
    const { up, down } = splitRevisions(stage);
    for (const name of this.#staged)
      if (!this.#start.has(name) && entryOf(stage, name) === undefined) this.#bring({ revisionName: name }, DRAINED);
    for (const revision of up.values()) this.#bring(revision, updateSPAForRevUp({}, revision, true));
    for (const revision of down.values()) this.#bring(revision, updateSPAForRevDown({}, revision, true));
    // A stage without a shrinking entry drains where the rollout came from.
    if (down.size === 0) for (const revisionName of this.#start) if (!up.has(revisionName)) this.#bring({ revisionName }, DRAINED);
    return this.#outcomes;
  }

  #bring(revision: TargetRevision, bounds: StageBounds): void {
    const { revisionName } = revision;
    const replicas = this.#outcomes.get(revisionName)?.replicas ?? 0;
    const outcome = outcomeOf(bounds, revision, { replicas, autoscaler: this.#workloads.get(revisionName)?.autoscaler });
    this.#staged.add(revisionName);
    this.#outcomes.set(revisionName, outcome);
    this.#actual.set(revisionName, outcome.replicas);
  }
}
