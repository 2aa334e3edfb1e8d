import { KINDS, nameOfKind } from '@/lib/kube/kinds';
import type { Definitions } from './definitions/definitions';
import type { EngineName, EngineState } from './modes';

/** A kind by its name among ours, and a field of it without which an engine would lose what it must remember. */
type Need = readonly [kind: string, field: string];

const OLDER = nameOfKind(KINDS.olderHelmRelease);

const NEEDS: Readonly<Record<EngineName, readonly Need[]>> = {
  application: [
    ['Application', 'spec.components'],
    ['Application', 'spec.policies'],
    ['Application', 'status.latestRevision'],
    ['ApplicationRevision', 'spec'],
  ],
  chartsync: [
    ['FluxHelmRelease', 'spec.chartGitPath'],
    ['FluxHelmRelease', 'spec.values'],
    ['FluxHelmRelease', 'status.releaseStatus'],
    ['HelmRelease', 'spec.chart'],
    ['HelmRelease', 'spec.values'],
    ['HelmRelease', 'status'],
    [OLDER, 'spec.chart'],
    [OLDER, 'spec.values'],
    [OLDER, 'status'],
  ],
  rollout: [
    ['RolloutOrchestrator', 'spec.initialRevisions'],
    ['RolloutOrchestrator', 'spec.targetRevisions'],
    ['RolloutOrchestrator', 'spec.stageTargetRevisions'],
    ['RolloutOrchestrator', 'status.stageRevisionStatus'],
    ['StagePodAutoscaler', 'spec'],
    ['StagePodAutoscaler', 'status'],
  ],
};

/** Engines each of whose kinds stands by itself: what one of them would lose, or that the cluster does not define it, stops no other. */
const APART: ReadonlySet<EngineName> = new Set(['chartsync']);

/** How an engine stands: as other controllers leave it, and held, as a whole or for one of its kinds, where the cluster would lose what it cannot do without. */
export function engineStateOf(
  engine: EngineName,
  mode: EngineState,
  { dropped, isMissing }: Pick<Definitions, 'dropped' | 'isMissing'>,
): EngineState {
  if (mode.mode !== 'drive') return mode;
  const defined = NEEDS[engine].filter(([kind]) => !isMissing(kind));
  if (APART.has(engine)) {
    const kinds = stoppedKinds(engine, defined, dropped);
    // By a kind that the cluster does not define nobody declares anything.
    if (defined.some(([kind]) => kinds[kind] === undefined)) return Object.keys(kinds).length === 0 ? mode : { ...mode, kinds };
  }
  const needs = APART.has(engine) && defined.length > 0 ? defined : NEEDS[engine];
  const whys = [...needs.map((need) => dropped(...need)), LOST[engine](dropped)];
  const why = whys.find((one) => one !== null) ?? null;
  return why === null ? mode : { mode: 'stopped', why: `the ${engine} engine does nothing: ${why}` };
}

/** Why an engine does nothing for some of its kinds, by kind. */
function stoppedKinds(engine: EngineName, needs: readonly Need[], dropped: Definitions['dropped']): Readonly<Record<string, string>> {
  const whys = needs.flatMap(([kind, field]) => {
    const why = dropped(kind, field);
    return why === null ? [] : [[kind, `the ${engine} engine does nothing for a ${kind}: ${why}`] as const];
  });
  return Object.fromEntries(whys.reverse()); // of several the first counts
}

/** What else an engine would lose. */
const LOST: Readonly<Record<EngineName, (dropped: Definitions['dropped']) => string | null>> = {
  application: recordLost,
  rollout: stateLost,
  chartsync: () => null,
};

/** The record of 2021 has no spec and lists objects in the status; whichever form a cluster takes must be kept whole. */
function recordLost(dropped: Definitions['dropped']): string | null {
  const noForm = dropped('ResourceTracker', 'spec.type');
  if (noForm === null) return dropped('ResourceTracker', 'spec');
  return dropped('ResourceTracker', 'status.trackedResources') === null ? null : noForm;
}

/** What a rollout remembers is kept in annotations of its status where there is no field for it. */
function stateLost(dropped: Definitions['dropped']): string | null {
  return dropped('RolloutOrchestrator', 'status.annotations') && dropped('RolloutOrchestrator', 'status.control');
}
