import type { KubeObject } from '@/lib/kube/object';
import type { Instant } from '@/lib/std/instant';
import { parseInstant, toInstant, toKubeTime } from '@/lib/std/instant';
import type { TargetRevision } from '../model';
import { NO_MAXIMUM } from '../model';
import { readAutoscaler, readRollout, readWorkload } from '../objects';
import { isStageScaleDownReady, isStageScaleUpReady, scaleDownLimit, scaleUpNeed } from '../stage/bounds';
import { splitRevisions } from '../stage/completion';
import { strategyOf } from '../stage/steps';
import { judgeBoundary, judgePause } from './boundary';
import type { RolloutView } from './view';
import { courseSpec, standingOf, targetNameOf, toView } from './view';

/** Why a rollout waits: the first clause that is not met, as a sentence, and every clause with its state. */
export interface Wait {
  readonly sentence: string;
  readonly clauses: readonly WaitClause[];
}

export interface WaitClause {
  readonly text: string;
  readonly met: boolean;
}

/** The view of a rollout from objects as a cluster has them. */
export function viewOf(ro: KubeObject, spas: readonly KubeObject[], workloads: readonly KubeObject[]): RolloutView {
  return toView({
    ro: readRollout(ro),
    autoscalers: spas.map(readAutoscaler),
    workloads: new Map(workloads.map((workload) => [workload.metadata.name ?? '', readWorkload(workload)])),
    pods: [],
  });
}

/** Explains what a rollout waits for now, from the objects themselves. */
export function explainWait(ro: KubeObject, spas: readonly KubeObject[], workloads: readonly KubeObject[], now: Instant): Wait {
  return explainView(viewOf(ro, spas, workloads), now);
}

/** Explains what a rollout waits for now. */
export function explainView(view: RolloutView, now: Instant): Wait {
  const { control, ro } = view;
  const target = targetNameOf(view);
  switch (standingOf(view)) {
    case 'idle':
      return done('no target is asked for');
    case 'aborted': {
      const back = (control.stable ?? []).map(({ revisionName }) => revisionName).join(', ');
      const where = back === '' ? 'there is nothing to go back to, its pods are left for inspection' : `${back} carries everything`;
      return waiting(`${target} was aborted: ${control.abortReason ?? ''}; ${where}; it waits for a retry or another target`);
    }
    case 'complete':
      return done(`${target} carries everything`);
    case 'between': {
      const hold = judgeBoundary({ policy: ro.policy, control, pausedBySpec: ro.pausedBySpec, now });
      return hold ? waiting(hold.sentence) : done(`the next stage is being planned`);
    }
    case 'running':
      return explainStage(view, now);
  }
}

function done(text: string): Wait {
  return { sentence: text, clauses: [{ text, met: true }] };
}

function waiting(text: string): Wait {
  return { sentence: text, clauses: [{ text, met: false }] };
}

function explainStage(view: RolloutView, now: Instant): Wait {
  const { control, ro } = view;
  const spec = courseSpec(view);
  const { up, down } = splitRevisions(spec.stageTargetRevisions ?? []);
  const stage = control.abort ? 'the abort' : `stage ${Math.max(1, control.currentStageIndex)}`;
  const grows = [...up.values()].flatMap((revision) => growing(view, revision, stage));
  const shrinks = [...down.values()].flatMap((revision) => shrinking(view, revision, stage));
  const second = between(view, now);
  const parts = strategyOf(spec.rolloutStrategy) === 'resourceutil' ? [shrinks, second, grows] : [grows, second, shrinks];
  const clauses = parts.flat();
  const pause = judgePause({ control, pausedBySpec: ro.pausedBySpec });
  const first = clauses.find(({ met }) => !met);
  return { sentence: first?.text ?? pause?.sentence ?? `${stage} is reached`, clauses };
}

/** What stands between the two steps of a stage: a pause, or the time for which an abort keeps the rejected pods. */
function between({ control, ro }: RolloutView, now: Instant): readonly WaitClause[] {
  const pause = judgePause({ control, pausedBySpec: ro.pausedBySpec });
  if (pause) return [{ text: pause.sentence, met: false }];
  const abortedAt = parseInstant(control.abortedAt);
  if (!control.abort || abortedAt === undefined) return [];
  const until = toInstant(abortedAt + ro.policy.abortScaleDownDelaySeconds * 1000);
  if (now >= until) return [];
  return [{ text: `the pods of ${control.rejectedRevision ?? ''} are kept until ${toKubeTime(until)}`, met: false }];
}

const replicas = (count: number, kind = '') => `${count} ${kind}${kind ? ' ' : ''}${count === 1 ? 'replica' : 'replicas'}`;

function growing(view: RolloutView, revision: TargetRevision, stage: string): readonly WaitClause[] {
  const { revisionName } = revision;
  const missing = unknown(view, revisionName);
  if (missing) return [missing];
  const figures = view.autoscalers.find(({ name }) => name === revisionName)?.figures ?? {};
  const need = scaleUpNeed(revision);
  const most = need.kind === 'within' && need.max !== NO_MAXIMUM ? ` to ${need.max}` : '';
  const wanted = need.kind === 'within' ? `${need.min}${most}` : `${need.replicas}`;
  const plural = wanted === '1' ? 'replica' : 'replicas';
  const text = `${stage} wants ${wanted} ready ${plural} of ${revisionName}, has ${figures.actualScale ?? 0}`;
  return [{ text, met: isStageScaleUpReady(figures, revision) }];
}

function shrinking(view: RolloutView, revision: TargetRevision, stage: string): readonly WaitClause[] {
  const { revisionName } = revision;
  const missing = unknown(view, revisionName);
  if (missing) return [missing];
  const figures = view.autoscalers.find(({ name }) => name === revisionName)?.figures ?? {};
  const limit = scaleDownLimit(revision);
  const terminating = figures.replicasTerminating;
  const has = Math.max(figures.actualScale ?? 0, figures.desiredScale ?? 0);
  return [
    { text: `${stage} wants at most ${replicas(limit)} of ${revisionName}, has ${has}`, met: isStageScaleDownReady(figures, revision) },
    {
      text: `${stage} waits for ${terminating ?? 'unknown'} terminating ${terminating === 1 ? 'pod' : 'pods'} of ${revisionName} to go`,
      met: terminating !== undefined && terminating <= 0,
    },
  ];
}

function unknown({ workloads, autoscalers }: RolloutView, revision: string): WaitClause | undefined {
  const workload = workloads.get(revision);
  if (workload === undefined) return { text: `Deployment ${revision} does not exist yet`, met: false };
  if (!workload.observed) return { text: `Deployment ${revision} has not been looked at by its controller since it changed`, met: false };
  const autoscaler = autoscalers.find(({ name }) => name === revision);
  return autoscaler ? undefined : { text: `StagePodAutoscaler ${revision} is not there yet`, met: false };
}
