import type { Instant } from '@/lib/std/instant';
import { parseInstant, toInstant } from '@/lib/std/instant';
import { minOf } from '../model';
import type { ControlPolicy } from '../policy/control-policy';
import { scaleUpNeed } from '../stage/bounds';
import { splitRevisions } from '../stage/completion';
import { applyEvent } from './apply-event';
import type { RolloutView } from './view';
import { activeTargets, targetNameOf } from './view';

const MAX_RESTARTS = 3;

/** What one look at the new revision found. */
export type HealthSample =
  | { readonly kind: 'healthy' }
  | { readonly kind: 'failing'; readonly why: string }
  | { readonly kind: 'unreadable' };

/** Looks at the new revision once: whether its computed status is failed, pods that do not get started, restarts, unavailable for too long. */
export function sampleHealth(view: RolloutView, now: Instant): HealthSample {
  if (view.staleKind !== undefined) return { kind: 'unreadable' };
  const name = targetNameOf(view);
  const limitMs = view.ro.policy.progressDeadlineSeconds * 1000;
  const workload = view.workloads.get(name);
  if (workload?.unavailableSince !== undefined && workload.replicas > 0 && now - workload.unavailableSince > limitMs) {
    return { kind: 'failing', why: `${name} has been unavailable for more than ${view.ro.policy.progressDeadlineSeconds} s` };
  }
  if (workload?.failure !== undefined) return { kind: 'failing', why: `${name}: ${workload.failure}` };
  for (const pod of view.pods) {
    if (pod.revision !== name || pod.deletionAt !== undefined) continue;
    // A rollout does not wait out the grace that the status of a pod gives.
    if (pod.stuck !== undefined) return { kind: 'failing', why: `pod ${pod.name} waits in ${pod.stuck}` };
    if (pod.restarts > MAX_RESTARTS)
      return { kind: 'failing', why: `pod ${pod.name} has restarted ${pod.restarts} times; ${MAX_RESTARTS} are allowed` };
  }
  return { kind: 'healthy' };
}

export interface HealthEvaluation {
  readonly view: RolloutView;
  /** Set when more samples failed than the policy allows. */
  readonly abortBecause?: string;
  readonly nextSampleAt?: Instant;
}

/** Takes a sample when one is due, and counts it. A failing sample restarts a soak that is under way. */
export function evaluateHealth(view: RolloutView, now: Instant): HealthEvaluation {
  const { control } = view;
  const { failureLimit, intervalSeconds } = view.ro.policy.autoAbort;
  const isSampled = control.state === 'stage' || (control.state === 'boundary' && control.stage > 0);
  if (failureLimit === undefined || !isSampled) return { view };
  const last = parseInstant(control.health.sampledAt);
  const due = last === undefined ? now : toInstant(last + intervalSeconds * 1000);
  if (now < due) return { view, nextSampleAt: due };
  const nextSampleAt = toInstant(now + intervalSeconds * 1000);
  const sample = sampleHealth(view, now);
  const counted = applyEvent(view, { type: 'healthSampled', at: now, sample: sample.kind });
  const failures = control.health.failures + 1;
  if (sample.kind !== 'failing' || failures <= failureLimit) return { view: counted, nextSampleAt };
  return { view: counted, abortBecause: `${failures} health samples failed; ${failureLimit} are allowed: ${sample.why}` };
}

export interface ProgressEvaluation {
  /** Set when it moved since it was noted last. */
  readonly score: number | undefined;
  readonly stalled: boolean;
  readonly deadlineAt: Instant;
}

/** Whether the stage under way still moves: more ready replicas on the new side, or fewer on the old one, than ever before in it. */
export function evaluateProgress(view: RolloutView, policy: ControlPolicy, now: Instant): ProgressEvaluation | undefined {
  const { control } = view;
  if (control.state !== 'stage') return undefined;
  const score = scoreOf(view);
  const moved = control.progress === undefined || score > control.progress.score;
  const since = moved ? now : (parseInstant(control.progress?.at) ?? now);
  const deadlineAt = toInstant(since + policy.progressDeadlineSeconds * 1000);
  return { score: moved ? score : undefined, stalled: now >= deadlineAt, deadlineAt };
}

function scoreOf(view: RolloutView): number {
  const { up, down } = splitRevisions(activeTargets(view).stageTargetRevisions ?? []);
  const ready = (name: string) => view.workloads.get(name)?.readyReplicas ?? 0;
  const grown = [...up.values()].map((revision) => {
    const need = scaleUpNeed(revision);
    return Math.min(ready(revision.revisionName), need.kind === 'within' ? minOf(revision) : need.replicas);
  });
  const left = [...down.keys()].map((name) => view.workloads.get(name)?.replicas ?? 0);
  return grown.reduce((sum, replicas) => sum + replicas, 0) - left.reduce((sum, replicas) => sum + replicas, 0);
}
