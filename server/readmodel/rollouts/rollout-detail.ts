import type { ActionView, DecisionView, RolloutDetail, TimelineEntry } from '@/lib/contract/rollout-rows';
import { DECISION_PHASES, stageDecisionSpec, verbIs } from '@/lib/contract/stage-decision';
import type { EngineMode } from '@/lib/contract/system-rows';
import { toOldEngineMode } from '@/lib/contract/system-rows';
import { readField, readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { formatRollout } from '@/lib/words/format-rollout';
import type { Consequences, RolloutDescription } from '@/server/rollout';
import type { FactsDeps } from '../applications/application-facts';
import { capitalise } from '../capitalise';
import type { Journal } from '../system/journal';
import { planRolloutGarbage } from '../trackers/garbage-view';
import { toAttempts } from './attempts';
import type { DescribedRollout } from './describe';
import { formatWait } from './describe';
import { toRevisionScales } from './revision-scales';
import { toRolloutRow } from './rollout-row';
import type { ScaleHistory } from './scale-history';

const MAX_DECISIONS = 50;
const MAX_TIMELINE = 100;

export interface RolloutDetailDeps extends FactsDeps {
  readonly history: ScaleHistory;
  readonly journal: Journal;
  /** Whether our engine drives rollouts. */
  readonly engine: () => EngineMode;
}

/** Everything the page of one rollout shows: what the projection says of it, who decided what, and what its end deletes. */
export function toRolloutDetail(seen: DescribedRollout, deps: RolloutDetailDeps): RolloutDetail {
  const { object, told, lost, sentence } = seen;
  const { stage, percent: _percent, awaits: _awaits, decider: _decider, ...row } = toRolloutRow(seen);
  const clauses =
    lost === null
      ? told.waitsFor.clauses.map(({ message, met }) => ({ text: formatWait(message), met }))
      : [{ text: sentence, met: false }];
  const application = deps.view.get(KINDS.application, row.key);
  const garbage = planRolloutGarbage(row.key, deps);
  return {
    ...row,
    uid: told.uid,
    application: application?.metadata.name ?? null,
    ratio: told.ratio,
    engine: deps.engine(),
    standing: toOldEngineMode(deps.engine()),
    wait: {
      sentence: capitalise(sentence, [row.name, ...told.from, told.to]),
      clauses: clauses.map(({ text, met }) => ({ text: capitalise(text, [row.name, ...told.from, told.to]), met })),
    },
    attempts: toAttempts(told),
    currentStage: stage.index,
    stageCount: stage.count,
    promoted: told.isPromoted,
    stageCountEstimated: told.isCountEstimated,
    deadline: told.deadline,
    revisions: toRevisionScales(told, deps.view, deps.history),
    trafficBy: told.trafficBy,
    abort: told.abort === null ? null : { ...told.abort, stable: [...told.abort.stable] },
    actions: toActions(seen, deps, garbage?.digest ?? null),
    approvals: {
      required: told.approvals.required,
      groups: [...told.approvals.groups],
      requester: told.approvals.requester,
      asker: told.approvals.requester,
      requesterMayApprove: told.approvals.requesterMayApprove,
      given: told.approvals.given.map(({ actor, at }) => ({ user: actor, at })),
      votes: told.approvals.votes.map(({ verb, actor, at }) => ({ verb, user: actor, at })),
    },
    tighteningUndo: told.tighteningUndo && { ...told.tighteningUndo },
    takeBack: told.tighteningUndo && { ...told.tighteningUndo },
    loosening: told.loosening && {
      fields: told.loosening.fields.map((field) => ({ ...field, asked: field.requested })),
      given: told.loosening.votes.map(({ actor, at }) => ({ user: actor, at })),
    },
    decisions: toDecisions(object, deps),
    timeline: toTimeline(told, deps.journal),
    garbage: garbage === undefined ? null : summarise(garbage),
  };
}

function summarise({ digest, items, from, to }: NonNullable<ReturnType<typeof planRolloutGarbage>>): NonNullable<RolloutDetail['garbage']> {
  const count = (...verdicts: readonly string[]) => items.filter((item) => verdicts.includes(item.verdict)).length;
  return {
    digest,
    deleted: count('deleted'),
    held: count('held'),
    kept: count('kept', 'handed-over'),
    from: from[0] ?? null,
    to: to ?? null,
  };
}

/** What a rollout tells of its acts, joined with the digest of what its end collects. */
function toActions({ told, lost }: DescribedRollout, { engine }: RolloutDetailDeps, garbage: string | null): ActionView[] {
  const nobodyAnswers = engine().why ?? lost;
  return Object.values(told.acts).map((act): ActionView => {
    const why = nobodyAnswers ?? (act.why === null ? null : formatRollout(act.why));
    return {
      verb: act.verb,
      allowed: why === null,
      why,
      ...toConsequences(why === null ? act.consequences : null),
      needsReason: act.needsReason,
      stage: act.stage,
      revision: act.revision,
      // What the end deletes is about going on; nobody who goes back or stops decides about it.
      seen: {
        rollout: told.digest,
        garbage: verbIs(act.verb, 'leadsOn') ? garbage : null,
        policy: act.verb === 'loosen' ? (told.loosening?.digest ?? null) : null,
      },
    };
  });
}

/** What an act does, in sentences and in replicas where some change. */
function toConsequences(told: Consequences | null): Pick<ActionView, 'consequences' | 'replicas' | 'peak'> {
  if (told === null) return { consequences: [], replicas: [], peak: null };
  const moves = told.replicas.filter(({ now, next, end }) => now !== next || next !== end);
  return {
    consequences: told.messages.map((message) => formatRollout(message)),
    replicas: moves.map((one) => ({ ...one })),
    peak: moves.length === 0 ? null : told.peak,
  };
}

function toDecisions(rollout: KubeObject, { view }: RolloutDetailDeps): DecisionView[] {
  const about = view
    .open(KINDS.stageDecision)
    .list(rollout.metadata.namespace)
    .filter((decision) => readString(decision, 'spec', 'rolloutRef', 'uid') === rollout.metadata.uid);
  return about
    .flatMap((decision) => toDecision(decision) ?? [])
    .sort((a, b) => (a.createdAt < b.createdAt ? 1 : a.createdAt > b.createdAt ? -1 : a.key < b.key ? 1 : -1))
    .slice(0, MAX_DECISIONS);
}

function toDecision(decision: KubeObject): DecisionView | undefined {
  const spec = stageDecisionSpec.safeParse(readField(decision, 'spec'));
  if (!spec.success) return undefined;
  const phase = readString(decision, 'status', 'phase');
  return {
    key: decision.metadata.uid ?? '',
    name: decision.metadata.name ?? '',
    verb: spec.data.verb,
    user: spec.data.actor.user,
    stage: spec.data.stage ?? null,
    revision: spec.data.revision ?? null,
    reason: spec.data.reason ?? null,
    phase: DECISION_PHASES.find((known) => known === phase) ?? 'Pending',
    message: readString(decision, 'status', 'message') ?? '',
    createdAt: decision.metadata.creationTimestamp ?? '',
  };
}

/** What the engine remembers of it and what is on record, each happening once, newest first. */
function toTimeline({ namespace, name, history }: RolloutDescription, journal: Journal): TimelineEntry[] {
  const entries = new Map<string, TimelineEntry>();
  for (const { id, at, actor, action, message } of history)
    entries.set(id, { key: id, at, actor, action, message: capitalise(message, [name, actor]) });
  for (const row of journal.about(namespace, name)) {
    if (!entries.has(row.key))
      entries.set(row.key, { key: row.key, at: row.at, actor: row.actor, action: row.action, message: row.message });
  }
  return [...entries.values()].sort((a, b) => (a.at < b.at ? 1 : -1)).slice(0, MAX_TIMELINE);
}
