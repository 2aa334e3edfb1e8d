import { unmetBefore, unmetOf } from '@/lib/contract/acts/rollout-decision';
import type { SavePreview } from '@/lib/contract/change-rows';
import type { ActionView, AttemptView, RevisionScale, RightsView, RolloutDetail, RolloutRow, StageView } from '@/lib/contract/rollout-rows';
import type { DecisionVerb } from '@/lib/contract/stage-decision';
import type { GarbageView } from '@/lib/contract/tracker-rows';
import { formatList, formatPercent } from '@/lib/words/figures';
import { toTable } from '../lists/to-table';

/** Every rollout on a line: where, how, between which revisions, and what it waits for. */
export function describeRollouts(rows: readonly RolloutRow[]): string {
  if (rows.length === 0) return 'no rollouts';
  const cells = rows.map((row) => [
    row.ns,
    row.name,
    row.health,
    row.activity,
    row.from ?? '-',
    row.to,
    row.stage.count === 0 ? '-' : `${row.stage.index}/${row.stage.count}`,
    row.sentence,
  ]);
  return toTable([['NAMESPACE', 'NAME', 'HEALTH', 'ACTIVITY', 'FROM', 'TO', 'STAGE', 'NOW'], ...cells]);
}

/** One rollout: what it waits for, its revisions, the stages of its present attempt, and what may be done about it. */
export function describeRollout(rollout: RolloutDetail, rights: RightsView): string {
  const { approvals, wait } = rollout;
  const facts = [
    ['rollout:', `${rollout.ns}/${rollout.name}, ${rollout.from === null ? '' : `${rollout.from} to `}${rollout.to}`],
    ['state:', `${rollout.health}, ${rollout.activity}: ${wait.sentence}`],
    ...unmetOf(rollout).map((text) => ['not met:', text]),
    ...(approvals.required === 0 ? [] : [['approvals:', describeApprovals(approvals)]]),
  ];
  const [attempt] = rollout.attempts;
  const parts = [
    facts,
    [['REVISION', 'ROLE', 'READY', 'TARGET', 'MIN', 'MAX', 'SHARE OF PODS', 'IMAGE'], ...rollout.revisions.map(scaleCells)],
    ...(attempt === undefined ? [] : [[['STAGE', 'STATE', 'PERCENT', 'GATE', 'REPLICAS'], ...stageRows(attempt)]]),
    [['VERB', 'ALLOWED', 'WHY NOT'], ...rollout.actions.map((action) => actionCells(action, rights))],
  ];
  return parts.map(toTable).join('\n\n');
}

/** Why a person cannot decide this now: the state first, then the right; null where they can. */
export function refusalOf(action: ActionView, rights: RightsView): string | null {
  if (!action.allowed) return action.why ?? 'it is not possible now';
  return rights[action.verb] ?? null;
}

interface Shown {
  readonly rollout: Pick<RolloutDetail, 'wait' | 'loosening'>;
  readonly action: ActionView;
  /** What the end deletes; absent where that is no part of the decision. */
  readonly garbage: GarbageView | undefined;
  /** Of a rollback. */
  readonly back: SavePreview | undefined;
}

/** All that a decision does, as it is to be known before it is made. */
export function describeShown({ rollout, action, garbage, back }: Shown): string {
  const unmet = unmetBefore(action.verb, rollout).map((text) => `Not met now: ${text}`);
  const parts = [
    [describeAction(action), ...unmet].join('\n'),
    ...(action.verb === 'loosen' && rollout.loosening !== null ? [describeLoosening(rollout.loosening)] : []),
    ...(garbage ? [describeGarbage(garbage)] : []),
    ...(back ? [describeRollback(back)] : []),
  ];
  return parts.join('\n\n');
}

/** What a decision does, a sentence each, then how many replicas there will be. */
function describeAction({ consequences, replicas }: ActionView): string {
  if (replicas.length === 0) return consequences.join('\n');
  const rows = replicas.map(({ revision, now, next, end }) => [revision, String(now), String(next), String(end)]);
  return `${consequences.join('\n')}\n\n${toTable([['REVISION', 'NOW', 'NEXT STAGE', 'END'], ...rows])}`;
}

/** What the end of a rollout deletes or holds, object by object. */
function describeGarbage({ rows, refused }: Pick<GarbageView, 'rows' | 'refused'>): string {
  const lost = rows.filter(({ verdict }) => verdict === 'deleted' || verdict === 'held');
  const told = lost.length === 0 ? 'At the end nothing is deleted.' : `At the end:\n${objectLines(lost)}`;
  return refused === null ? told : `${told}\n${refused}`;
}

/** What a rollback does to every object, and what else is to be known before it. */
function describeRollback({ changes, ...told }: SavePreview): string {
  const { refused, suspended, ungranted, withheld, looser, unmeetable, selfApproval } = told;
  const notes = [refused, suspended, ungranted, withheld, looser, unmeetable, selfApproval].filter((note) => note != null);
  return [objectLines(changes), ...notes].join('\n');
}

/** What a looser policy lets through, field by field. */
function describeLoosening({ fields }: NonNullable<RolloutDetail['loosening']>): string {
  return toTable([['FIELD', 'IN FORCE', 'REQUESTED'], ...fields.map(({ field, inForce, requested }) => [field, inForce, requested])]);
}

type ObjectLine = Pick<SavePreview['changes'][number], 'verdict' | 'kind' | 'ns' | 'name' | 'why'>;

function objectLines(rows: readonly ObjectLine[]): string {
  return toTable(rows.map(({ verdict, kind, ns, name, why }) => [verdict, kind, ns === null ? name : `${ns}/${name}`, why]));
}

function describeApprovals({ required, groups, given, votes }: RolloutDetail['approvals']): string {
  const of = groups.length === 0 ? '' : `, from ${formatList(groups, 'or')}`;
  const by = given.length === 0 ? '' : `: ${formatList(given.map(({ user }) => user))}`;
  const others = votes.map(({ verb, user }) => `; ${user} voted to ${verb}`).join('');
  return `${given.length} of ${required}${of}${by}${others}`;
}

function scaleCells({ revision, role, actual, target, stageMin, stageMax, percentByPods, image }: RevisionScale): string[] {
  const share = percentByPods === null ? '-' : formatPercent(percentByPods);
  return [
    revision,
    role,
    ...[actual, target, stageMin, stageMax].map((count) => (count === null ? '-' : String(count))),
    share,
    image ?? '-',
  ];
}

function stageRows({ stages }: AttemptView): string[][] {
  return stages.map(({ index, way, state, percent, gate, entries }) => [
    way === 'back' ? `back ${index}` : String(index),
    state,
    formatPercent(percent),
    gate === 'none' ? '-' : gate,
    entries.map(describeEntry).join(', '),
  ]);
}

function describeEntry({ revision, replicas, observed }: StageView['entries'][number]): string {
  const count = observed?.replicas ?? replicas;
  return `${revision} ${count ?? '-'}`;
}

function actionCells(action: ActionView, rights: RightsView): [DecisionVerb, string, string] {
  const why = refusalOf(action, rights);
  return [action.verb, why === null ? 'yes' : 'no', why ?? ''];
}
