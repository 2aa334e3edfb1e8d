import type { DecisionVerb } from '@/lib/contract/stage-decision';
import { DECISION_VERBS, VERBS_WITH_REASON, VERBS_WITH_STAGE } from '@/lib/contract/stage-decision';
import type { KubeObject } from '@/lib/kube/object';
import { formatDuration } from '@/lib/std/duration';
import type { Instant } from '@/lib/std/instant';
import { getStageFault } from '../fault';
import type { Revisions, TargetRevision } from '../model';
import { readDirection } from '../model';
import { planRollout } from '../planning/plan-rollout';
import { approversOf, hasGate } from './boundary';
import { startAbort, startRetry } from './course';
import { refusalOf } from './decisions';
import { digestOf } from './digest';
import { viewOf } from './explain';
import type { RolloutView } from './view';
import { courseSpec, scalesOfView, targetNameOf } from './view';

/** One thing a person may decide about a rollout, and what exactly would happen. */
export interface AllowedAction {
  readonly verb: DecisionVerb;
  readonly allowed: boolean;
  /** Why it is not possible now; null when it is. */
  readonly why: string | null;
  /** What happens next, a sentence each. */
  readonly consequences: readonly string[];
  readonly needsReason: boolean;
  /** What the decision must name, so that only what was seen is decided. */
  readonly stage: number | null;
  readonly revision: string | null;
  readonly seen: { readonly rollout: string };
}

/** What may be decided about a rollout now, verb by verb, with the consequences before the click. */
export function allowedActions(ro: KubeObject, spas: readonly KubeObject[], workloads: readonly KubeObject[], now: Instant): readonly AllowedAction[] {
  const view = viewOf(ro, spas, workloads);
  const seen = { rollout: digestOf(view.ro) };
  return DECISION_VERBS.map((verb) => {
    const why = refusalOf(verb, view, now) ?? null;
    return {
      verb,
      allowed: why === null,
      why,
      consequences: why === null ? CONSEQUENCES[verb](view, now) : [],
      needsReason: VERBS_WITH_REASON.includes(verb),
      stage: VERBS_WITH_STAGE.includes(verb) ? view.control.completedStages : null,
      revision: verb === 'rollback' ? null : targetNameOf(view),
      seen,
    };
  });
}

type Consequences = (view: RolloutView, now: Instant) => readonly string[];

const CONSEQUENCES: Readonly<Record<DecisionVerb, Consequences>> = {
  approve: (view) => {
    const { required } = view.ro.policy.approvals;
    const given = approversOf(view.control).length + 1;
    if (given < required) return [`This is approval ${given} of ${required}; the rollout goes on waiting for the others.`];
    return nextStageSentences(view);
  },
  advance: (view) => [...(view.control.paused ? ['The pause ends.'] : []), ...nextStageSentences(view), 'Gates and soaks after that stage hold again.'],
  'promote-full': (view) => {
    const stages = planned(view, 100);
    const count = stages.length === 0 ? '' : ` in ${stages.length === 1 ? '1 stage' : `${stages.length} stages`}`;
    const sentence = `${targetNameOf(view)} takes everything${count}; no gate and no soak holds it any more.`;
    return [sentence, ...(stages[0] ? stageSentences(view, stages[0]) : []), 'Health is judged as before.'];
  },
  pause: () => ['Nothing advances until it is resumed.', 'Replicas and traffic stay as they are; nothing is undone.', 'Deadlines stand still.'],
  resume: (view) => ['The rollout goes on from where it is.', ...(hasGate({ policy: view.ro.policy, control: view.control }) ? ['Gates hold as before.'] : [])],
  abort: (view, now) => {
    const stable = view.control.stable ?? [];
    const target = targetNameOf(view);
    if (stable.length === 0) return [`There is no revision to go back to: ${target} stops where it is and its pods are left for inspection.`];
    const back = startAbort(view, { actor: '', reason: '', now });
    const delay = view.ro.policy.abortScaleDownDelaySeconds * 1000;
    const first = planned(back, 100)[0];
    return [
      `${namesOf(stable)} is raised before anything of ${target} is taken away.`,
      ...(first ? stageSentences(view, first) : []),
      `Objects that both share, such as ConfigMaps and Services, go back to what ${namesOf(stable)} wants at once.`,
      `The pods of ${target} are kept for at least ${formatDuration(delay)}, then its replicas go to 0.`,
      `There is no new rollout to ${target} until a retry or another change.`,
    ];
  },
  rollback: () => [
    'The application is set back to the revision named, as a change of its own.',
    'That makes a new revision, which is rolled out by the same stages and gates.',
  ],
  retry: (view, now) => {
    const again = startRetry(view, now);
    const stages = planned(again, again.ro.config.overConsumptionRatio);
    return [`The rollout to ${targetNameOf(view)} starts anew, in ${stages.length} stages.`, ...(stages[0] ? stageSentences(view, stages[0]) : [])];
  },
};

function nextStageSentences(view: RolloutView): readonly string[] {
  const [next] = planned(view, view.ro.config.overConsumptionRatio);
  if (next === undefined) return ['The next stage is planned when the scales of all revisions are known.'];
  return [`Stage ${view.control.completedStages + 1} begins.`, ...stageSentences(view, next)];
}

/** Each revision of a stage, before and after: replicas and traffic. */
function stageSentences(view: RolloutView, stage: Revisions): readonly string[] {
  const before = view.ro.rollout.status.stageRevisionStatus ?? courseSpec(view).initialRevisions ?? [];
  return stage.flatMap((revision) => {
    if (readDirection(revision) === 'stay') return [];
    const { revisionName, percent = 0 } = revision;
    const now = view.workloads.get(revisionName)?.readyReplicas ?? 0;
    const share = before.find((entry) => entry.revisionName === revisionName)?.percent ?? 0;
    return [`${revisionName} goes from ${now} to ${countOf(revision)} replicas and from ${share} % to ${percent} % of the traffic.`];
  });
}

/** What a stage comes to: a count, or where bounds leave room for load, the bound that the stage moves. */
function countOf(revision: TargetRevision): string {
  const { targetReplicas, minScale, maxScale } = revision;
  const count = targetReplicas ?? minScale ?? 0;
  if (count === 0 || minScale === undefined || minScale === maxScale) return `${count}`;
  return readDirection(revision) === 'up' ? `at least ${Math.min(count, minScale)}` : `at most ${count}`;
}

function planned(view: RolloutView, ratio: number): readonly Revisions[] {
  const spec = courseSpec(view);
  const { status } = view.ro.rollout;
  const between = view.control.completedStages > 0 ? status.stageRevisionStatus : spec.initialRevisions;
  const config = { ...view.ro.config, overConsumptionRatio: ratio };
  try {
    return planRollout({ config, initialRevisions: between, targetRevisions: spec.targetRevisions ?? [], scales: scalesOfView(view) });
  } catch (error) {
    if (getStageFault(error) === undefined) throw error;
    return []; // scales are not known yet, so there is nothing to foretell
  }
}

function namesOf(revisions: Revisions): string {
  return revisions.map(({ revisionName }) => revisionName).join(', ');
}
