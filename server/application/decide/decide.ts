import { controllerOf } from '@/lib/kube/object';
import type { Instant } from '@/lib/std/instant';
import { constructResourceTrackerName, LABEL, revisionNameOf } from '@/server/dispatch';
import type { TargetRevision } from '@/server/rollout';
import { collectableAt } from '@/server/rollout';
import { allFaultsMessage } from '../faults/all-faults';
import type { Observation } from '../observe/observe';
import { explainUnreadableNote } from '../permission/permitted';
import { render } from '../render/render';
import { hashOf, highestNumber, reusedRevision, snapshotOf } from '../revision';
import { planServed } from '../served/plan-served';
import type { RenderRevision } from '../served/render-revision';
import { revisionRenderer } from '../served/render-revision';
import type { ParsedApplication, Rendered, RolloutPolicy } from '../spec/model';
import type { CollectStep, Decision, InitialWorkload, Phase, RolloutStep, RunPlan } from './model';
import { requestedReverts } from './revert';
import { planRestore, reachedBefore } from './revisions';

/** Decides what an application needs next. Pure; every step of the answer may be repeated at any time. */
export function decide(observation: Observation, now: Instant): Decision {
  const seen = withoutForeignRollout(observation);
  const { application, object } = seen;
  const refuse = (condition: 'Parsed' | 'Applied', reason: string, sentence: string, phase: Phase = 'held'): Decision => ({
    kind: 'refuse',
    condition,
    reason,
    sentence,
    phase,
  });
  const [fault] = seen.trackerFaults;
  if (fault !== undefined)
    return refuse('Applied', 'TrackerUnreliable', fault, object.metadata.deletionTimestamp === undefined ? 'held' : 'deleting');
  if (object.metadata.deletionTimestamp !== undefined) return { kind: 'finalize', olds: seen.trackers };
  if ('fault' in application) return refuse('Parsed', 'Invalid', application.fault, 'rendering');
  const unreadable = explainUnreadableNote(seen.revisions.at(-1));
  if (unreadable !== undefined) return refuse('Applied', 'PermissionUnreadable', unreadable);
  if (application.rollout === undefined && seen.rollout?.isUnderWay === true) {
    return refuse(
      'Applied',
      'RolloutUnderWay',
      `the rollout policy was removed while ${application.name} rolls out to ${seen.rollout?.target ?? 'a revision'}; put it back, finish or abort the rollout, then remove it`,
    );
  }
  const bound = boundReason(application, seen);
  if (bound !== undefined) return refuse('Applied', 'PolicyInForce', bound);
  const revision = chooseRevision(application, seen);
  const collision = collisionOf(application, revision.name, seen) ?? takenReason(application, seen);
  if (collision !== undefined) return refuse('Applied', 'NameTaken', collision);
  try {
    const plan = planRun(application, revision, seen, now);
    const stranded =
      application.rollout === undefined &&
      plan.previous !== undefined &&
      Object.values(plan.rendered.workloads).some(({ staged }) => staged);
    if (!stranded) return { kind: 'run', plan };
    return refuse(
      'Applied',
      'RolloutUnderWay',
      `the rollout policy was removed before ${revision.name} was rolled out; put it back, or change the application as well`,
    );
  } catch (error) {
    return refuse('Parsed', 'Invalid', allFaultsMessage(error, object), 'rendering');
  }
}

/** A rollout of that name which somebody else made is no business of an application that wants none. */
function withoutForeignRollout(seen: Observation): Observation {
  const { application, rollout } = seen;
  if (rollout === undefined || 'fault' in application || application.rollout !== undefined) return seen;
  return controllerOf(rollout.object)?.uid === application.uid ? seen : { ...seen, rollout: undefined };
}

/** Why the rollout may not be given up: its terms ask people, and whether that ends is theirs to decide. */
function boundReason({ name, rollout: policy }: ParsedApplication, { rollout }: Observation): string | undefined {
  if (rollout?.inForce === undefined) return undefined;
  const first = 'apply a policy without gates and approvals first; once that is approved (loosen), it can be done';
  if (policy === undefined) return `the rollout policy of ${name} cannot be removed while its gates are in force; ${first}`;
  if (rollout.component === undefined || rollout.component === policy.component) return undefined;
  return `the rollout policy of ${name} cannot name ${policy.component} while the gates of ${rollout.component} are in force; ${first}`;
}

/** The newest revision when it says the same, else the next number. Content that comes back gets a new number too. */
function chooseRevision(application: ParsedApplication, seen: Observation): RunPlan['revision'] {
  const hash = hashOf(application);
  // Revisions of others of that name take numbers, and are no sign of a later one of its own.
  const highest = highestNumber(seen.object, seen.revisions, seen.trackers);
  const newest = seen.revisions.at(-1);
  // One that was made while revisions held values as they were written says the same.
  const stored = reusedRevision(newest, hash, highest) ?? (seen.inline && reusedRevision(newest, hashOf(seen.inline.written), highest));
  if (stored !== undefined) return { name: stored.name, number: stored.number, hash: stored.hash, stored };
  const number = seen.highestNumber + 1;
  return { name: revisionNameOf(application.name, number), number, hash, stored: undefined };
}

/** Tracker names are not injective: two applications may come to the same one. */
function collisionOf({ name, namespace }: ParsedApplication, revisionName: string, seen: Observation): string | undefined {
  const trackerName = constructResourceTrackerName(revisionName, namespace);
  const labels = seen.trackerNamed(trackerName)?.labels;
  const otherName = labels?.[LABEL.appName];
  const otherNamespace = labels?.[LABEL.appNamespace] ?? labels?.[LABEL.appNamespaceMisspelt];
  if (otherName === undefined || otherNamespace === undefined || (otherName === name && otherNamespace === namespace)) return undefined;
  return `ResourceTracker ${trackerName} belongs to application ${otherNamespace}/${otherName}, and application ${namespace}/${name} has the same tracker name; rename one of them; nothing was changed`;
}

/** Why the rollout of this name may not be the application's: somebody else's controller has it. */
function takenReason({ name, namespace, uid, rollout: policy }: ParsedApplication, { rollout }: Observation): string | undefined {
  const owner = rollout && controllerOf(rollout.object);
  if (policy === undefined || owner === undefined || owner.uid === uid) return undefined;
  return `RolloutOrchestrator ${name} in ${namespace} belongs to ${owner.kind} ${owner.name}, and application ${name} needs one of that name; rename one of them; nothing was changed`;
}

function planRun(application: ParsedApplication, revision: RunPlan['revision'], seen: Observation, now: Instant): RunPlan {
  const snapshot = revision.stored === undefined ? application : snapshotOf(revision.stored, seen.object);
  const rendered = render(snapshot, revision.name, { revisionHash: revision.hash });
  const reached = reachedBefore(revision.name, seen);
  const previous = reached?.name;
  const current = constructResourceTrackerName(revision.name, application.namespace);
  const previousTracker = previous && constructResourceTrackerName(previous, application.namespace);
  const others = seen.trackers.filter((tracker) => tracker.name !== current && tracker.deletionTimestamp === undefined);
  const olds = [...others].sort(
    (left, right) => Number(right.name === previousTracker) - Number(left.name === previousTracker) || (left.name < right.name ? -1 : 1),
  );
  const renderOf = revisionRenderer(seen.object);
  const rollout = decideRollout(application, { rendered, previous, staged: snapshot.rollout !== undefined, renderOf }, seen);
  const applied = {
    application,
    revision,
    rendered,
    dispatch: rollout.kind !== 'leave',
    restore:
      rollout.kind === 'leave' && rollout.isRejected ? planRestore(application, { rejected: rendered, stable: previous }, seen) : undefined,
    rollout,
  };
  return {
    ...applied,
    previous,
    unreported: reached?.unreported,
    olds,
    accepted: seen.trackers,
    served: planServed(applied, seen, renderOf),
    collect: decideCollectStep(application, rollout, { seen, hasOlds: olds.length > 0, now }),
    toRevert: requestedReverts(application.object),
    isUnrecorded: seen.latest !== revision.name,
  };
}

interface RevisionPlan {
  readonly rendered: Rendered;
  readonly previous: string | undefined;
  /** True when the revision was made under a rollout policy. */
  readonly staged: boolean;
  readonly renderOf: RenderRevision;
}

function decideRollout(
  application: ParsedApplication,
  { rendered, previous, staged, renderOf }: RevisionPlan,
  seen: Observation,
): RolloutStep {
  const { rollout: policy } = application;
  const { rollout } = seen;
  if (policy === undefined) return rollout === undefined ? { kind: 'none' } : { kind: 'remove', rollout };
  const workload = rendered.workloads[policy.component];
  // A revision made before the policy is dispatched plainly; once it runs, its workload is adopted.
  if (workload === undefined || (!staged && seen.latest === undefined) || (!staged && previous !== undefined)) return { kind: 'none' };
  if (rollout !== undefined && rollout.component !== policy.component && rollout.component !== undefined) {
    return rollout.isUnderWay
      ? { kind: 'leave', why: `the policy names ${policy.component} while ${rollout.component} rolls out` }
      : { kind: 'remove', rollout };
  }
  if (rollout?.target === workload.name && rollout.rejected === workload.name) {
    const why = `${workload.name} was rejected; it is not rolled out again before a retry or a change of the application`;
    return { kind: 'leave', why, isRejected: true, policy };
  }
  const target: TargetRevision = { revisionName: workload.name, percent: 100, latestRevision: true, ...workload.scale };
  const start = seen.revisions.find(({ name }) => name === previous);
  const initial = workload.staged ? start && initialOf(policy, renderOf(start)) : { entry: target, adopt: true };
  return { kind: 'ensure', policy, target, initial };
}

function initialOf(policy: RolloutPolicy, { workloads }: Rendered): InitialWorkload | undefined {
  const workload = workloads[policy.component];
  return workload && { entry: { revisionName: workload.name, percent: 100, ...workload.scale }, adopt: !workload.staged };
}

interface CollectionCircumstances {
  readonly seen: Observation;
  readonly hasOlds: boolean;
  readonly now: Instant;
}

function decideCollectStep(
  application: ParsedApplication,
  step: RolloutStep,
  { seen, hasOlds, now }: CollectionCircumstances,
): CollectStep {
  if (step.kind === 'leave') return { kind: 'wait', why: step.why };
  if (step.kind === 'remove' && application.rollout !== undefined)
    return { kind: 'wait', why: 'the rollout of another component is being removed' };
  if (step.kind !== 'ensure') return { kind: 'now' };
  const { rollout } = seen;
  const target = step.target.revisionName;
  const from = rollout?.target === target ? collectableAt(rollout, application.rollout?.control ?? {}) : undefined;
  // How far it has got is not said: it is written seldom, and would be a while behind.
  if (from === undefined) return { kind: 'wait', why: `the rollout to ${target} is not complete` };
  const untilMs = from - now;
  if (hasOlds && untilMs > 0)
    return { kind: 'wait', why: `what ${target} replaced is kept for another ${Math.ceil(untilMs / 1000)} s`, untilMs };
  return { kind: 'now' };
}
