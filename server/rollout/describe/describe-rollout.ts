import type { KubeObject } from '@/lib/kube/object';
import type { Instant } from '@/lib/std/instant';
import type { WaitMessage } from '@/lib/words/rollout-message';
import { approvalsOf, isPromoted, votesOf } from '../control/control-facts';
import { digestOf } from '../control/digest';
import { evaluateRollout } from '../control/evaluation';
import { followTerms } from '../control/terms';
import { followTarget } from '../control/transitions';
import { targetNameOf } from '../control/view';
import type { Observation } from '../decide';
import { failedPartsOf } from '../failed-part';
import { passFailureOf } from '../failed-pass';
import { listRemainingStages } from '../pass/remaining-stages';
import { ungrantedOf } from '../pass/ungranted';
import { strategyOf } from '../stage/steps';
import { describeActs } from './acts';
import { describeAttempt, describePast, previousRevisionNames } from './attempts';
import type { Held } from './blocked-decisions';
import { blockedBy, blockedReason, heldBy } from './blocked-decisions';
import type { RolloutDescription, Wait, WaitClause } from './description';
import { describeLoosening, describeTighteningUndo } from './loosening';
import { describeRevisions } from './revisions';
import type { RolloutSnapshot } from './snapshot';
import { activityOf, countsOf, describeAbort, timesOf } from './snapshot';
import { describePlanned, describeStages } from './stages';
import { waitOf } from './waits';

/** Says everything that may be said about a rollout at a moment. Pure; whoever speaks of a rollout asks this and nothing else. */
export function describeRollout({ view: seen }: Pick<Observation, 'view'>, now: Instant): RolloutDescription {
  const snapshot = takeSnapshot(seen, now);
  const { view, ahead, evaluation } = snapshot;
  const { control, ro } = view;
  const { rollout, policy, fault } = ro;
  const held = heldBy(seen, evaluation);
  const failure = passFailureOf(ro.object);
  const planned = ahead.stages.map((stage) => describePlanned(view, stage));
  const rail = describeStages(view, ahead.stages, planned);
  return {
    namespace: rollout.namespace,
    name: rollout.name,
    uid: rollout.uid,
    phase: failure === undefined ? evaluation.phase : 'Degraded',
    activity: held === undefined ? activityOf(view, evaluation) : 'held',
    position: evaluation.position,
    unreadable: fault ?? null,
    strategy: strategyOf(rollout.spec.rolloutStrategy),
    ratio: ro.config.overConsumptionRatio,
    from: previousRevisionNames(view),
    to: targetNameOf(view),
    attempt: describeAttempt(view, evaluation, rail),
    past: [...control.past].reverse().map((attempt) => describePast(view, attempt)),
    ...countsOf(snapshot, rail),
    ...timesOf(snapshot, seen),
    isPromoted: isPromoted(control),
    waitsFor: beside(
      ro.object,
      held !== undefined ? heldWait(held) : failure === undefined ? waitFor(snapshot, now) : failedWait(failure, waitFor(snapshot, now)),
    ),
    approvals: {
      required: policy.approvals.required,
      groups: policy.approvals.groups,
      requester: ro.requestedBy ?? null,
      requesterMayApprove: policy.approvals.allowSelf,
      given: approvalsOf(control),
      votes: votesOf(control),
    },
    loosening: describeLoosening(view),
    tighteningUndo: describeTighteningUndo(view, now),
    acts: describeActs({ view, evaluation, ahead, planned, now, decisionsBlockedReason: blockedReason(seen, evaluation) }),
    revisions: describeRevisions(view),
    trafficBy: 'pods',
    abort: describeAbort(view),
    seenGarbage: control.seenGarbage ?? null,
    history: control.history,
    digest: digestOf(seen.ro),
  };
}

function takeSnapshot(seen: Observation['view'], now: Instant): RolloutSnapshot {
  if (blockedBy(seen) !== undefined) {
    const { position } = evaluateRollout(seen, now);
    return { view: seen, evaluation: { position, hold: undefined, stalled: false, phase: 'Degraded' }, ahead: { stages: [] } };
  }
  // The engine begins with the target that the spec asks for now, whatever it remembers.
  const view = followTerms(followTarget(seen, now), now);
  return { view, evaluation: evaluateRollout(view, now), ahead: listRemainingStages(view) };
}

function heldWait(message: Held): Wait {
  return { message, isWaiting: true, clauses: [{ message, met: false, evidence: null }], until: null, whom: 'person' };
}

/** What it waits for is what the last pass that succeeded left. */
function failedWait(failure: string, { clauses }: Wait): Wait {
  const message: WaitMessage = { id: 'wait.failed', failure };
  return { message, isWaiting: true, clauses: [{ message, met: false, evidence: null }, ...clauses], until: null, whom: 'person' };
}

/** What it waits for, and what fails beside it without holding it up. */
function beside(rollout: KubeObject, wait: Wait): Wait {
  const failing = failedPartsOf(rollout).map(
    (part): WaitClause => ({
      message: { id: 'wait.failed-part', ...part },
      met: false,
      evidence: { kind: part.kind, name: part.name, field: '' },
    }),
  );
  const why = ungrantedOf(rollout);
  const isTold = why === undefined || wait.clauses.some(({ message }) => message.id === 'wait.ungranted');
  const ungranted: readonly WaitClause[] = isTold ? [] : [{ message: { id: 'wait.ungranted', why }, met: false, evidence: null }];
  const clauses = [...ungranted, ...failing];
  return clauses.length === 0 ? wait : { ...wait, clauses: [...wait.clauses, ...clauses] };
}

function waitFor({ view, evaluation, ahead }: RolloutSnapshot, now: Instant): Wait {
  const wait = waitOf(view, evaluation, now);
  if (ahead.fault === undefined || evaluation.position !== 'between' || evaluation.hold !== undefined) return wait;
  const message: WaitMessage = { id: 'wait.fault', sentence: ahead.fault.message };
  return { message, isWaiting: true, clauses: [{ message, met: false, evidence: null }], until: null, whom: 'pods' };
}
