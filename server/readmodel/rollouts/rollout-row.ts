import { severityOf } from '@/lib/contract/health';
import type { RolloutRow } from '@/lib/contract/rollout-rows';
import { toObjectKey } from '@/lib/kube/object';
import { deepEqual } from '@/lib/std/deep-equal';
import type { RolloutDescription } from '@/server/rollout';
import { capitalise } from '../capitalise';
import type { ListShape } from '../views/list-view';
import { metadataOf } from '../views/metadata';
import type { DescribedRollout } from './describe';
import { formatWait } from './describe';

const HEALTH_OF_PHASE = {
  Healthy: 'Current',
  Progressing: 'InProgress',
  Paused: 'InProgress',
  Degraded: 'Failed',
} as const satisfies Record<RolloutDescription['phase'], RolloutRow['health']>;

/** The line of the table of rollouts; the sentence says why it waits. */
export function toRolloutRow({ object, told, sentence, lost }: DescribedRollout): RolloutRow {
  const { namespace, name, strategy, from, to, stageIndex, stageCount, percent, startedAt, waitsFor } = told;
  const phase = lost === null ? told.phase : 'Degraded';
  return {
    key: toObjectKey({ namespace, name }),
    ns: namespace,
    name,
    phase,
    activity: lost === null ? told.activity : 'held',
    health: isFailing(told) ? 'Failed' : HEALTH_OF_PHASE[phase],
    sentence: capitalise([sentence, ...failingBeside(told)].join('; '), [name, ...from, to]),
    strategy,
    from: from.at(-1) ?? null,
    to,
    stage: { index: stageIndex, count: stageCount },
    percent,
    awaits: lost === null ? waitsFor.whom : 'person',
    ...(lost === null ? deciderOf(told) : {}),
    startedAt,
    ...metadataOf(object),
  };
}

/** What lets a rollout go on that waits for a person, the likeliest first. */
const VERBS = ['approve', 'loosen', 'resume', 'retry'] as const;

/** By which decision a rollout goes on that waits for a person, and whom its policy asks for and keeps from it. */
function deciderOf({ waitsFor, acts }: RolloutDescription): Pick<RolloutRow, 'decider'> {
  const act = waitsFor.whom === 'person' ? VERBS.map((verb) => acts[verb]).find(({ allowed }) => allowed) : undefined;
  if (act?.allowed !== true) return {};
  const { groups, not, people } = act.asks;
  return { decider: { verb: act.verb, groups: [...groups], not: [...not], ...(people ? { people } : {}) } };
}

/** True while it waits for a workload whose computed status is failed: the verdict is that one, long before the deadline is over. */
function isFailing({ waitsFor }: RolloutDescription): boolean {
  return waitsFor.message.id === 'wait.workload-failed';
}

/** What fails beside what it waits for has no place of its own on the line: who is asked to approve must not miss that the new pods crash. */
function failingBeside({ waitsFor: { message: told, clauses } }: RolloutDescription): readonly string[] {
  const beside = clauses.filter(({ message }) => message.id === 'wait.failed-part' || message.id === 'wait.workload-failed');
  return beside.flatMap(({ message }) => (deepEqual(message, told) ? [] : [formatWait(message)]));
}

export const rolloutList: ListShape<RolloutRow> = {
  namespaceOf: (row) => row.ns,
  text: (row) => `${row.ns}/${row.name} ${row.to}`,
  marks: (row) => row,
  filter: (row) => row.health,
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
