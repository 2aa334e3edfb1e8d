import { messageOf } from '@/lib/contract/app-error';
import type { ActionView, DecisionView, RolloutDetail, TimelineEntry } from '@/lib/contract/rollout-rows';
import type { DecisionVerb } from '@/lib/contract/stage-decision';
import { DECISION_PHASES, stageDecisionSpec } from '@/lib/contract/stage-decision';
import type { StandingView } from '@/lib/contract/system-rows';
import { getCondition } from '@/lib/kube/condition';
import { readField, readList, readNumber, readString } from '@/lib/kube/fields';
import { KINDS, LABELS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { toObjectKey } from '@/lib/kube/object';
import { pausedBy } from '@/lib/kube/paused-by';
import type { Clock } from '@/server/platform';
import type { Dropped } from '@/server/rollout';
import { allowedActions, DEFAULT_STAGE_CONFIG, explainWait, rolloutDigest, whyPolicyIsLost } from '@/server/rollout';
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
  const parts = (rollout: KubeObject) => {
    const key = toObjectKey(rollout.metadata);
    const { namespace } = rollout.metadata;
    const workloads = deps.view
      .open(KINDS.deployment)
      .list(namespace)
      .filter((one) => one.metadata.labels?.[LABELS.rolloutService] === rollout.metadata.name);
    return { spas: deps.view.ofApplication(KINDS.stagePodAutoscaler, key), workloads };
  };
  const wait = (rollout: KubeObject) => {
    const annotation = pausedBy(rollout);
    if (annotation !== undefined) {
      const text = `the annotation ${annotation} holds this rollout: nothing moves and no decision is answered until it is taken away`;
      return { sentence: text, clauses: [{ text, met: false }] };
    }
    const lost = whyPolicyIsLost(rollout, deps.dropped);
    if (lost !== null) return { sentence: lost, clauses: [{ text: lost, met: false }] };
    const { spas, workloads } = parts(rollout);
    try {
      return explainWait(rollout, spas, workloads, deps.clock.now());
    } catch (error) {
      const text = messageOf(error);
      return { sentence: text, clauses: [{ text, met: false }] };
    }
  };
  return {
    sentence: (rollout) => wait(rollout).sentence,
    detail: (rollout) => toDetail(rollout, { ...parts(rollout), wait: wait(rollout) }, deps),
  };
}

interface Seen {
  readonly spas: readonly KubeObject[];
  readonly workloads: readonly KubeObject[];
  readonly wait: RolloutDetail['wait'] | { readonly sentence: string; readonly clauses: readonly { readonly text: string; readonly met: boolean }[] };
}

/** A stage that is reached has no deadline left, however long the gate after it waits. */
function deadlineOf(rollout: KubeObject): string | null {
  if (getCondition(rollout, 'StageReady')?.status === 'True') return null;
  return readString(rollout, 'spec', 'targetFinishTime') ?? null;
}

function toDetail(rollout: KubeObject, seen: Seen, deps: ExplainerDeps): RolloutDetail {
  const row = toRolloutRow(rollout, seen.wait.sentence);
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
    wait: { sentence: row.sentence, clauses: seen.wait.clauses.map(({ text, met }) => ({ text: asHeadline(text, [row.name, state.from, state.to]), met })) },
    stages,
    currentStage: row.stage.index,
    promoted: state.promoted,
    stageCountEstimated: !state.complete,
    deadline: deadlineOf(rollout),
    revisions: toRevisionScales(rollout, deps.view, deps.history),
    trafficRouter: 'pods',
    actions: toActions(rollout, seen, deps, garbage?.digest ?? null),
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

function toActions(rollout: KubeObject, { spas, workloads }: Seen, { clock, standing, dropped }: ExplainerDeps, garbage: string | null): ActionView[] {
  try {
    const digest = rolloutDigest(rollout);
    const { from, to } = readRolloutState(rollout);
    const nobodyAnswers = standing().why ?? whyPolicyIsLost(rollout, dropped);
    return allowedActions(rollout, spas, workloads, clock.now()).map((action) => {
      if (nobodyAnswers !== null) return { ...action, allowed: false, why: nobodyAnswers, consequences: [], seen: { ...action.seen, garbage: null } };
      const backTo = action.verb === 'rollback' && action.allowed ? from : undefined;
      const why = action.verb === 'rollback' && action.allowed && from === undefined ? 'there is no earlier revision to go back to' : action.why;
      return {
        verb: action.verb,
        allowed: why === null,
        why,
        consequences: [...action.consequences],
        needsReason: action.needsReason,
        stage: action.stage,
        revision: action.verb === 'rollback' ? (backTo ?? null) : to,
        // What the end deletes is about going on; nobody who goes back or stops decides about it.
        seen: { rollout: digest, garbage: VERBS_ONWARD.includes(action.verb) ? garbage : null },
      };
    });
  } catch {
    return []; // a rollout that cannot be read: the sentence above says so, and nothing can be decided about it
  }
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
