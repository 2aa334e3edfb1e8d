import type { Exactness } from '@/lib/words/rollout-message';
import type { RolloutView } from '../control/view';
import { activeTargets, readyOf } from '../control/view';
import type { Outcomes } from '../pass/outcomes';
import { currentOutcomes } from '../pass/outcomes';
import type { PlannedStage } from '../pass/remaining-stages';
import { countOf } from '../pass/remaining-stages';
import { strategyOf } from '../stage/steps';
import type { Consequences } from './description';

/** What a stage leaves a revision. The share is that of the pods; null where an autoscaler decides about it. */
export interface RevisionEnd {
  readonly replicas: number;
  readonly exact: Exactness;
  readonly share: number | null;
}

/** What becomes of one revision: replicas and share of the pods now, once the next stage is reached, and at the end. */
export interface Change {
  readonly revision: string;
  readonly replicas: number;
  readonly ready: number;
  readonly share: number | null;
  readonly next: RevisionEnd;
  readonly end: RevisionEnd;
}

type Counts = ReadonlyMap<string, number>;

/** What planned stages do to each revision that takes part in them. */
export function changesOf(view: RolloutView, stages: readonly PlannedStage[]): readonly Change[] {
  const [first] = stages;
  const last = stages.at(-1);
  if (first === undefined || last === undefined) return [];
  const ready = readyOf(view);
  const pods = podsOf(ready);
  const [next, end] = [endsOf(first), endsOf(last)];
  const names = new Set([...first.revisions.map(({ revisionName }) => revisionName), ...view.workloads.keys()]);
  return [...names].map((revision) => ({
    revision,
    replicas: view.workloads.get(revision)?.replicas ?? 0,
    ready: ready.get(revision) ?? 0,
    share: percentOf(ready.get(revision), pods),
    next: next(revision),
    end: end(revision),
  }));
}

/** What a stage leaves each revision. */
function endsOf(stage: PlannedStage): (revision: string) => RevisionEnd {
  const all = certainPods(stage.outcomes);
  return (revision) => {
    const { replicas, exact } = countOf(stage, revision);
    return { replicas, exact, share: percentOf(stage.outcomes.get(revision)?.range.max, all) };
  };
}

/** The pods of all revisions, where no autoscaler can shift the shares; else none, for no share is known then. */
function certainPods(outcomes: Outcomes): number {
  let all = 0;
  let running = 0;
  let isCertain = true;
  for (const { range } of outcomes.list) {
    if (range.max === 0) continue;
    all += range.max;
    running++;
    isCertain &&= range.min === range.max;
  }
  return isCertain || running <= 1 ? all : 0;
}

/** The same as replica counts only. */
export function replicaChanges(changes: readonly Change[]): Consequences['replicas'] {
  return changes.map(({ revision, replicas, next, end }) => ({
    revision,
    now: replicas,
    next: next.replicas,
    end: end.replicas,
    exact: end.exact,
  }));
}

/** Share of a revision in all pods, in percent with one decimal; null while there are none. */
export function shareOf(counts: Counts, revision: string): number | null {
  return percentOf(counts.get(revision), podsOf(counts));
}

function podsOf(counts: Counts): number {
  let all = 0;
  for (const count of counts.values()) all += count;
  return all;
}

function percentOf(count = 0, all: number): number | null {
  return all === 0 ? null : Math.round((1000 * count) / all) / 10;
}

/** The most replicas of all revisions together, from now to the end of the planned stages. */
export function peakOf(view: RolloutView, stages: readonly PlannedStage[]): number {
  const upFirst = strategyOf(activeTargets(view).rolloutStrategy) === 'availability';
  // Stages that were planned from this view have its workloads first, in the same order.
  let held = currentOutcomes(view).list;
  let peak = 0;
  for (const { range } of held) peak += range.max;
  for (const { outcomes } of stages) {
    let most = 0;
    // Where the new side grows first, what shrinks is still there.
    let at = 0;
    for (const { range } of outcomes.list) most += Math.max(upFirst ? (held[at++]?.range.max ?? 0) : 0, range.max);
    peak = Math.max(peak, most);
    held = outcomes.list;
  }
  return peak;
}
