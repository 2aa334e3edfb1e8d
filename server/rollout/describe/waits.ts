import type { Instant } from '@/lib/std/instant';
import { toKubeTime } from '@/lib/std/instant';
import type { RolloutMessage, StageName, WaitMessage } from '@/lib/words/rollout-message';
import { abortOf, completedOf, stableOf } from '../control/control-facts';
import type { Evaluation } from '../control/evaluation';
import { evaluatePause } from '../control/gates';
import { quorumOf } from '../control/quorum';
import type { RolloutView } from '../control/view';
import { activeTargets, entryOf, isGone, keptUntil, lostTargetOf, targetNameOf } from '../control/view';
import type { TargetRevision } from '../model';
import { NO_MAXIMUM } from '../model';
import { planScales, toScaleInput } from '../scale';
import { isStageScaleDownReady, isStageScaleUpReady, scaleDownLimit, scaleUpNeed } from '../stage/bounds';
import { overlapsNext, splitRevisions } from '../stage/completion';
import { strategyOf } from '../stage/steps';
import type { Wait, WaitClause } from './description';

/** Where a rollout is, in words that no single pod changes: what its status keeps. */
export function stateMessage(view: RolloutView, { position, hold, stalled }: Evaluation): RolloutMessage {
  const { control, ro } = view;
  if (stalled) return { id: 'wait.stalled', stage: stageNameOf(view), seconds: ro.policy.progressDeadlineSeconds, because: null };
  if (position === 'running' || position === 'between') {
    if (control.state === 'returning')
      return { id: 'state.returning', rejected: control.rejected, stable: stableNames(view), reason: control.reason };
    if (hold !== undefined) return hold.message;
    const target = targetNameOf(view);
    const percent = entryOf(ro.rollout.spec.stageTargetRevisions, target)?.percent ?? 0;
    return position === 'between'
      ? { id: 'wait.planning' }
      : { id: 'state.stage', stage: completedOf(control) + 1, revision: target, percent };
  }
  return restMessage(view, position);
}

function restMessage(view: RolloutView, position: 'idle' | 'aborted' | 'complete'): WaitMessage {
  const revision = targetNameOf(view);
  const { loosening } = view.ro;
  const quorum = quorumOf('loosen', view);
  if (loosening !== undefined && quorum !== undefined) return { id: 'wait.looser-policy', fields: loosening.fields, ...quorum };
  if (position === 'idle') return { id: 'wait.no-target' };
  const lost = position === 'complete' ? lostTargetOf(view) : undefined;
  if (lost !== undefined) return { id: 'wait.target-lost', revision: lost };
  if (position === 'complete') return completeMessage(view);
  return { id: 'wait.aborted', revision, reason: abortOf(view.control)?.reason ?? '', stable: stableNames(view) };
}

/** Where the traffic goes once a rollout is through. */
export function completeMessage(view: RolloutView): WaitMessage {
  const targets = view.ro.rollout.spec.targetRevisions ?? [];
  const shares = targets.flatMap(({ revisionName: revision, percent = 0 }) => (percent > 0 ? [{ revision, percent }] : []));
  return { id: 'wait.complete', revision: targetNameOf(view), ...(shares.length > 1 ? { shares } : {}) };
}

/** What a rollout waits for now, with everything that is looked at. What has failed of it is told wherever it stands. */
export function waitOf(view: RolloutView, evaluation: Evaluation, now: Instant): Wait {
  const wait = waitAt(view, evaluation, now);
  const known = wait.clauses.filter(({ message }) => message.id === 'wait.workload-failed').length;
  return known > 0 ? wait : { ...wait, clauses: [...wait.clauses, ...failing(view)] };
}

/** Workloads that have failed, as their computed status says; one that is sent back is about to go. */
function failing(view: RolloutView): readonly WaitClause[] {
  const rejected = abortOf(view.control)?.rejected;
  return [...view.workloads.values()].flatMap(({ revision, failure }) =>
    failure === undefined || revision === rejected
      ? []
      : [
          {
            message: { id: 'wait.workload-failed', revision, why: failure } as const,
            met: false,
            evidence: workloadField(revision, 'status.conditions'),
          },
        ],
  );
}

function waitAt(view: RolloutView, evaluation: Evaluation, now: Instant): Wait {
  const { position, hold } = evaluation;
  if (position === 'running' && (hold?.reason === 'HealthUnknown' || hold?.reason === 'NotGranted'))
    return { ...unmet(hold.message), whom: 'person' };
  if (position === 'running') return waitOfStage(view, evaluation, now);
  if (position === 'between') {
    if (hold === undefined) return settled({ id: 'wait.planning' });
    const until = hold.until === undefined ? null : toKubeTime(hold.until);
    const held = unmet(hold.message);
    return { ...held, clauses: [...held.clauses, ...vanished(view)], until, whom: hold.reason === 'SoakTime' ? 'time' : 'person' };
  }
  const message = restMessage(view, position);
  const isSettled = message.id === 'wait.complete' || message.id === 'wait.no-target';
  return isSettled ? settled(message) : { ...unmet(message), whom: 'person' };
}

/** Workloads that carry traffic by the stage that was reached, and are not there any more: the next stage cannot be planned without them. */
function vanished(view: RolloutView): readonly WaitClause[] {
  const carrying = (activeTargets(view).stageTargetRevisions ?? []).filter(({ percent = 0 }) => percent > 0);
  return carrying.flatMap(({ revisionName }) => (view.workloads.has(revisionName) ? [] : (unknown(view, revisionName) ?? [])));
}

function settled(message: WaitMessage): Wait {
  return { message, isWaiting: false, clauses: [{ message, met: true, evidence: null }], until: null, whom: 'nobody' };
}

function unmet(message: WaitMessage): Omit<Wait, 'whom'> {
  return { message, isWaiting: true, clauses: [{ message, met: false, evidence: null }], until: null };
}

function waitOfStage(view: RolloutView, { stalled }: Evaluation, now: Instant): Wait {
  const { ro } = view;
  const spec = activeTargets(view);
  const { up, down } = splitRevisions(spec.stageTargetRevisions ?? []);
  const stage = stageNameOf(view);
  const grows = [...up.values()].flatMap((revision) => growing(view, revision, stage));
  const shrinks = [...down.values()].flatMap((revision) => shrinking(view, revision, stage));
  const second = betweenSteps(view, now);
  const parts = strategyOf(spec.rolloutStrategy) === 'resourceutil' ? [shrinks, second, grows] : [grows, second, shrinks];
  const floor = planScales(toScaleInput(view)).waits.map((message): WaitClause => ({ message, met: false, evidence: null }));
  const rest = [...parts.flat(), ...floor];
  // Why it does not grow comes before that it does not, and has nothing to do with a stage that is reached all the same.
  const clauses = grows.some(({ met }) => !met) ? [...failing(view), ...rest] : rest;
  const first = clauses.find(({ met }) => !met)?.message;
  if (first === undefined) return { ...settled({ id: 'wait.stage-reached', stage }), clauses };
  const until = first.id === 'wait.kept' ? first.until : null;
  const whom = first.id === 'wait.paused' || first.id === 'wait.held' ? 'person' : until === null ? 'pods' : 'time';
  const message: WaitMessage = stalled ? { id: 'wait.stalled', stage, seconds: ro.policy.progressDeadlineSeconds, because: first } : first;
  return { message, isWaiting: true, clauses, until, whom };
}

function stageNameOf({ control }: RolloutView): StageName {
  return abortOf(control) === undefined ? completedOf(control) + 1 : 'abort';
}

function stableNames({ control }: RolloutView): readonly string[] {
  return stableOf(control).map(({ revisionName }) => revisionName);
}

/** What stands between the two steps of a stage: a pause, or the time for which an abort keeps the rejected pods. */
function betweenSteps(view: RolloutView, now: Instant): readonly WaitClause[] {
  const { control, ro } = view;
  const pause = evaluatePause({ control, pausedBySpec: ro.pausedBySpec });
  if (pause) return [{ message: pause.message, met: false, evidence: null }];
  const until = keptUntil(view);
  if (until === undefined || now >= until) return [];
  return [
    { message: { id: 'wait.kept', revision: abortOf(control)?.rejected ?? '', until: toKubeTime(until) }, met: false, evidence: null },
  ];
}

function growing(view: RolloutView, revision: TargetRevision, stage: StageName): readonly WaitClause[] {
  const { revisionName: name } = revision;
  const missing = unknown(view, name);
  if (missing) return [missing];
  const figures = view.autoscalers.find((one) => one.name === name)?.figures ?? {};
  const need = scaleUpNeed(revision);
  const [least, most] = need.kind === 'within' ? [need.min, need.max === NO_MAXIMUM ? null : need.max] : [need.replicas, need.replicas];
  const message: WaitMessage = { id: 'wait.grow', stage, revision: name, least, most, has: figures.actualScale ?? 0 };
  return [{ message, met: isStageScaleUpReady(figures, revision), evidence: workloadField(name, 'status.readyReplicas') }];
}

function shrinking(view: RolloutView, revision: TargetRevision, stage: StageName): readonly WaitClause[] {
  const { revisionName: name } = revision;
  if (isGone(view, name)) return [];
  const missing = unknown(view, name);
  if (missing) return [missing];
  const { figures = {}, livePods = 0 } = view.autoscalers.find((one) => one.name === name) ?? {};
  const overlaps = overlapsNext(activeTargets(view), view.ro.terms.overlap);
  const most = scaleDownLimit(revision);
  const has = Math.max(figures.actualScale ?? 0, figures.desiredScale ?? 0, livePods);
  const shrunk: WaitClause = {
    message: { id: 'wait.shrink', stage, revision: name, most, has },
    met: isStageScaleDownReady(figures, revision) && livePods <= most,
    evidence: workloadField(name, 'status.replicas'),
  };
  if (overlaps) return [shrunk];
  const pods = figures.replicasTerminating ?? null;
  const evidence = { kind: 'Pod', name, field: 'metadata.deletionTimestamp' };
  return [shrunk, { message: { id: 'wait.terminating', stage, revision: name, pods }, met: pods !== null && pods <= 0, evidence }];
}

function unknown({ workloads, autoscalers }: RolloutView, revision: string): WaitClause | undefined {
  const workload = workloads.get(revision);
  if (workload === undefined)
    return { message: { id: 'wait.workload-missing', revision }, met: false, evidence: workloadField(revision, '') };
  if (!workload.observed) {
    return {
      message: { id: 'wait.workload-unobserved', revision },
      met: false,
      evidence: workloadField(revision, 'status.observedGeneration'),
    };
  }
  if (autoscalers.some(({ name }) => name === revision)) return undefined;
  return {
    message: { id: 'wait.autoscaler-missing', revision },
    met: false,
    evidence: { kind: 'StagePodAutoscaler', name: revision, field: '' },
  };
}

function workloadField(name: string, field: string): NonNullable<WaitClause['evidence']> {
  return { kind: 'Deployment', name, field };
}
