import type { ActionView, DecisionView, RolloutDetail, TimelineEntry } from '@/lib/contract/rollout-rows';
import type { DecisionVerb } from '@/lib/contract/stage-decision';
import { DECISION_PHASES, stageDecisionSpec } from '@/lib/contract/stage-decision';
import type { StandingView } from '@/lib/contract/system-rows';
import { getCondition } from '@/lib/kube/condition';
import { readField, readList, readNumber, readString } from '@/lib/kube/fields';
import { KINDS, LABELS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { toObjectKey } from '@/lib/kube/object';
import { sayRollout } from '@/lib/words/say-rollout';
import type { Clock } from '@/server/platform';
import type { Dropped, RolloutDescription } from '@/server/rollout';
import { DEFAULT_STAGE_CONFIG, describeRollout, observeObjects, whyPolicyIsLost } from '@/server/rollout';
import type { FactsDeps } from '../applications/application-facts';
import { asHeadline } from '../headline';
import type { Journal } from '../system/journal';
import { planRolloutGarbage } from '../trackers/garbage-view';
import { toRevisionScales } from './revision-scales';
import { startedAt, toRolloutRow } from './rollout-row';
import { readRolloutState } from './rollout-state';
import type { ScaleHistory } from './scale-history';
import { toStages } from './stages';

const VERBS_ONWARD: readonly DecisionVerb[] = ['approve', 'advance', 'promote-full'];
const MOST_DECISIONS = 50;
const MOST_TIMELINE = 100;

/** Explains rollouts: the sentence for a table, and the whole page. */
export interface RolloutExplainer {
  sentence(rollout: KubeObject): string;
  detail(rollout: KubeObject): RolloutDetail;
}

export interface ExplainerDeps extends FactsDeps {
  readonly clock: Clock;
  readonly history: ScaleHistory;
  readonly journal: Journal;
  readonly standing: () => StandingView;
  readonly dropped: Dropped;
}

/** What explains rollouts from the copies of the cluster. */
export function createExplainer(deps: ExplainerDeps): RolloutExplainer {
  const describe = (rollout: KubeObject): RolloutDescription => {
    const key = toObjectKey(rollout.metadata);
    const { namespace } = rollout.metadata;
    const workloads = deps.view
      .open(KINDS.deployment)
      .list(namespace)
      .filter((one) => one.metadata.labels?.[LABELS.rolloutService] === rollout.metadata.name);
    const autoscalers = deps.view.ofApplication(KINDS.stagePodAutoscaler, key);
    const scalers = deps.view.open(KINDS.horizontalPodAutoscaler).list(namespace);
    const now = deps.clock.now();
    return describeRollout(observeObjects({ rollout, autoscalers, workloads, scalers }, now), now);
  };
  return {
    sentence: (rollout) => whyPolicyIsLost(rollout, deps.dropped) ?? sayRollout(describe(rollout).waitsFor.message),
    detail: (rollout) => toDetail(rollout, describe(rollout), deps),
  };
}

/** A stage that is reached has no deadline left, however long the gate after it waits. */
function deadlineOf(rollout: KubeObject): string | null {
  if (getCondition(rollout, 'StageReady')?.status === 'True') return null;
  return readString(rollout, 'spec', 'targetFinishTime') ?? null;
}

function toDetail(rollout: KubeObject, told: RolloutDescription, deps: ExplainerDeps): RolloutDetail {
  const lost = whyPolicyIsLost(rollout, deps.dropped);
  const row = toRolloutRow(rollout, lost ?? sayRollout(told.waitsFor.message));
  const clauses = lost === null ? told.waitsFor.clauses.map(({ message, met }) => ({ text: sayRollout(message), met })) : [{ text: lost, met: false }];
  const state = readRolloutState(rollout);
  const application = deps.view.get(KINDS.application, row.key);
  const garbage = planRolloutGarbage(row.key, deps);
  const stages = [...toStages(rollout)];
  return {
    key: row.key,
    ns: row.ns,
    name: row.name,
    uid: rollout.metadata.uid ?? '',
    application: application?.metadata.name ?? null,
    phase: row.phase,
    activity: row.activity,
    health: row.health,
    strategy: row.strategy,
    ratio: readNumber(rollout, 'spec', 'overConsumptionRatio') ?? DEFAULT_STAGE_CONFIG.overConsumptionRatio,
    standing: deps.standing(),
    from: row.from,
    to: row.to,
    wait: {
      sentence: row.sentence,
      clauses: clauses.map(({ text, met }) => ({ text: asHeadline(text, [row.name, state.from, state.to]), met })),
    },
    stages,
    currentStage: row.stage.index,
    promoted: state.promoted,
    stageCountEstimated: !state.complete,
    deadline: deadlineOf(rollout),
    revisions: toRevisionScales(rollout, deps.view, deps.history),
    trafficRouter: 'pods',
    actions: toActions(rollout, told, deps, garbage?.digest ?? null),
    approvals: toApprovals(rollout),
    decisions: toDecisions(rollout, deps),
    timeline: toTimeline(rollout, deps.journal),
    garbage:
      garbage === undefined
        ? null
        : {
            digest: garbage.digest,
            deleted: garbage.items.filter((item) => item.verdict === 'deleted').length,
            held: garbage.items.filter((item) => item.verdict === 'held').length,
            kept: garbage.items.filter((item) => item.verdict === 'kept' || item.verdict === 'handed-over').length,
            from: garbage.from[0] ?? null,
            to: garbage.to ?? null,
          },
    startedAt: startedAt(rollout),
  };
}

function toActions(rollout: KubeObject, { acts, digest }: RolloutDescription, { standing, dropped }: ExplainerDeps, garbage: string | null): ActionView[] {
  const { from, to } = readRolloutState(rollout);
  const nobodyAnswers = standing().why ?? whyPolicyIsLost(rollout, dropped);
  return Object.values(acts).map((act) => {
    const refused = nobodyAnswers ?? (act.why === null ? null : sayRollout(act.why));
    const why = refused === null && act.verb === 'rollback' && from === undefined ? 'there is no earlier revision to go back to' : refused;
    return {
      verb: act.verb,
      allowed: why === null,
      why,
      consequences: why !== null || act.consequences === null ? [] : act.consequences.messages.map(sayRollout),
      needsReason: act.needsReason,
      stage: act.stage,
      revision: act.verb === 'rollback' ? (why === null ? (from ?? null) : null) : to,
      // What the end deletes is about going on; nobody who goes back or stops decides about it.
      seen: { rollout: digest, garbage: VERBS_ONWARD.includes(act.verb) ? garbage : null },
    };
  });
}

function toApprovals(rollout: KubeObject): RolloutDetail['approvals'] {
  const completed = readNumber(rollout, 'status', 'control', 'completedStages') ?? 0;
  const given = readList(rollout, 'status', 'control', 'approvals').filter((one) => readNumber(one, 'stage') === completed);
  return {
    required: readNumber(rollout, 'spec', 'control', 'approvals', 'required') ?? 1,
    given: given.map((one) => ({ user: readString(one, 'actor') ?? '', at: readString(one, 'at') ?? '' })),
  };
}

function toDecisions(rollout: KubeObject, { view }: ExplainerDeps): DecisionView[] {
  const about = view
    .open(KINDS.stageDecision)
    .list(rollout.metadata.namespace)
    .filter((decision) => readString(decision, 'spec', 'rolloutRef', 'uid') === rollout.metadata.uid);
  return about
    .flatMap((decision) => toDecision(decision) ?? [])
    .sort((a, b) => (a.createdAt < b.createdAt ? 1 : a.createdAt > b.createdAt ? -1 : a.key < b.key ? 1 : -1))
    .slice(0, MOST_DECISIONS);
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

/** What the engine remembers on the object and what is on record, each happening once, newest first. */
function toTimeline(rollout: KubeObject, journal: Journal): TimelineEntry[] {
  const entries = new Map<string, TimelineEntry>();
  for (const entry of readList(rollout, 'status', 'control', 'history')) {
    const key = readString(entry, 'id') ?? '';
    const text = (name: string) => readString(entry, name) ?? '';
    entries.set(key, { key, at: text('at'), actor: text('actor'), action: text('action'), message: asHeadline(text('message'), [rollout.metadata.name]) });
  }
  for (const row of journal.about(rollout.metadata.namespace ?? '', rollout.metadata.name ?? '')) {
    if (!entries.has(row.key)) entries.set(row.key, { key: row.key, at: row.at, actor: row.actor, action: row.action, message: row.message });
  }
  return [...entries.values()].sort((a, b) => (a.at < b.at ? 1 : -1)).slice(0, MOST_TIMELINE);
}
