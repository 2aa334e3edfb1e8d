import { severityOf } from '@/lib/contract/health';
import type { RolloutRow } from '@/lib/contract/rollout-rows';
import { readString } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import { toObjectKey } from '@/lib/kube/object';
import { asHeadline } from '../headline';
import type { ListShape } from '../list-view';
import type { RolloutPhase } from './rollout-state';
import { readRolloutState } from './rollout-state';
import { stagePosition } from './stages';

const HEALTH_OF_PHASE = { Healthy: 'Current', Progressing: 'InProgress', Paused: 'InProgress', Degraded: 'Failed' } as const satisfies Record<
  RolloutPhase,
  RolloutRow['health']
>;

/** The line of the table of rollouts; the sentence says why it waits. */
export function toRolloutRow(rollout: KubeObject, sentence: string): RolloutRow {
  const state = readRolloutState(rollout);
  const { namespace = '', name = '' } = rollout.metadata;
  return {
    key: toObjectKey(rollout.metadata),
    ns: namespace,
    name,
    phase: state.phase,
    activity: state.activity,
    health: HEALTH_OF_PHASE[state.phase],
    sentence: asHeadline(sentence || state.message, [name, state.from, state.to]),
    strategy: readString(rollout, 'spec', 'rolloutStrategy') ?? 'availability',
    from: state.from ?? null,
    to: state.to,
    stage: stagePosition(rollout, state),
    percent: state.percent,
    startedAt: startedAt(rollout),
  };
}

/** When the present target was set: kept by the engine, else the object's own age. */
export function startedAt(rollout: KubeObject): string | null {
  return readString(rollout, 'status', 'control', 'rollout', 'startedAt') ?? rollout.metadata.creationTimestamp ?? null;
}

export const rolloutList: ListShape<RolloutRow> = {
  namespaceOf: (row) => row.ns,
  text: (row) => `${row.ns}/${row.name} ${row.to}`,
  filter: (row) => row.phase,
  sorts: {
    name: (row) => row.name,
    ns: (row) => `${row.ns}/${row.name}`,
    activity: (row) => row.activity,
    phase: (row) => severityOf(row.health),
    progress: (row) => row.percent,
    started: (row) => row.startedAt ?? '',
  },
  defaultSort: 'phase',
};
