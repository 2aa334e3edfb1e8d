import type { StageView } from '@/lib/contract/rollout-rows';
import { readField, readList, readNumber, readString } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import type { Revisions } from '@/server/rollout';
import { DEFAULT_STAGE_CONFIG, planRollout } from '@/server/rollout';
import type { RolloutState } from './rollout-state';
import { readRolloutState } from './rollout-state';

type StageEntry = StageView['entries'][number];

const COMPLETIONS: readonly string[] = ['stage.completed', 'rollout.completed'];

/** The rail: stages behind, the one under way, and those to come as an ideal cluster would go through them. */
export function toStages(rollout: KubeObject): readonly StageView[] {
  const state = readRolloutState(rollout);
  const ideal = idealPlan(rollout);
  const current = readList(rollout, 'spec', 'stageTargetRevisions');
  const count = countStages(state, ideal);
  const timesOf = stageTimes(rollout);
  return Array.from({ length: count }, (_, at) => {
    const index = at + 1;
    const stageState = stateOf(index, count, state);
    const planned = state.promoted && index === count ? ideal.at(-1) : ideal[Math.min(at, ideal.length - 1)];
    const entries = stageState === 'current' && current.length > 0 ? current : (planned ?? current);
    return { index, state: stageState, gate: gateAfter(rollout, index, count, entries, state), entries: entries.map(toEntry), ...timesOf(index) };
  });
}

/** Where a rollout stands: in every list as on its own page. */
export function stagePosition(rollout: KubeObject, state: RolloutState): { readonly index: number; readonly count: number } {
  const count = countStages(state, idealPlan(rollout));
  return { index: state.complete ? count : underWay(state, count), count };
}

/** Live figures shift the remaining steps, so the count is an estimate; the engine's own is better where it has one. */
function countStages(state: RolloutState, ideal: readonly Revisions[]): number {
  if (state.promoted) return Math.max(state.stageIndex, 1);
  return Math.max(state.stageCount, ideal.length, state.stageIndex, 1);
}

function underWay(state: RolloutState, count: number): number {
  return Math.min(Math.max(state.stageIndex, 1), count);
}

function stateOf(index: number, count: number, state: RolloutState): StageView['state'] {
  if (state.complete) return 'done';
  const under = underWay(state, count);
  if (index < under) return 'done';
  if (index > under) return 'planned';
  return state.phase === 'Degraded' ? 'failed' : 'current';
}

function idealPlan(rollout: KubeObject): readonly Revisions[] {
  const initial = readList(rollout, 'spec', 'initialRevisions') as Revisions;
  const target = readList(rollout, 'spec', 'targetRevisions') as Revisions;
  if (target.length === 0) return [];
  const actual = new Map([...target, ...initial].map((entry) => [entry.revisionName, entry.minScale ?? 0] as const));
  const overConsumptionRatio = readNumber(rollout, 'spec', 'overConsumptionRatio') ?? DEFAULT_STAGE_CONFIG.overConsumptionRatio;
  try {
    const config = { ...DEFAULT_STAGE_CONFIG, overConsumptionRatio };
    return planRollout({
      config,
      initialRevisions: initial.length === 0 ? undefined : initial,
      targetRevisions: target,
      scales: { actual, staged: new Set() },
    });
  } catch {
    return [target]; // figures that no plan can be made from: the end is all that is known
  }
}

function gateAfter(rollout: KubeObject, index: number, count: number, entries: readonly unknown[], state: RolloutState): StageView['gate'] {
  if (index >= count || !hasGate(rollout, entries, state.to)) return 'none';
  return state.complete || index < state.stageIndex ? 'open' : 'closed';
}

function hasGate(rollout: KubeObject, entries: readonly unknown[], target: string): boolean {
  const gates = readField(rollout, 'spec', 'control', 'gates');
  if (gates === 'every-stage') return true;
  if (!Array.isArray(gates)) return false;
  const percent = readNumber(
    entries.find((entry) => readString(entry, 'revisionName') === target),
    'percent',
  );
  // A gate holds after the first stage at or above its percent.
  return gates.some((gate) => {
    const at = readNumber(gate, 'atPercent');
    return at !== undefined && percent !== undefined && percent >= at && percent - ratioOf(rollout) < at;
  });
}

function ratioOf(rollout: KubeObject): number {
  return readNumber(rollout, 'spec', 'overConsumptionRatio') ?? DEFAULT_STAGE_CONFIG.overConsumptionRatio;
}

/** Times of the stages of the present rollout, from the engine's own history: the n-th completion since the start is that of stage n. */
function stageTimes(rollout: KubeObject): (index: number) => Pick<StageView, 'startedAt' | 'finishedAt'> {
  const history = readList(rollout, 'status', 'control', 'history');
  const start = history.findLastIndex((entry) => readString(entry, 'action') === 'rollout.started');
  const began = readString(history[start], 'at') ?? null;
  const completed = history.slice(Math.max(start, 0)).filter((entry) => COMPLETIONS.includes(readString(entry, 'action') ?? ''));
  const finished = completed.map((entry) => readString(entry, 'at') ?? null);
  return (index) => ({ startedAt: index === 1 ? began : (finished[index - 2] ?? null), finishedAt: finished[index - 1] ?? null });
}

function toEntry(entry: unknown): StageEntry {
  return {
    revision: readString(entry, 'revisionName') ?? '',
    percent: readNumber(entry, 'percent') ?? null,
    replicas: readNumber(entry, 'targetReplicas') ?? null,
    direction: readString(entry, 'direction') ?? null,
  };
}
