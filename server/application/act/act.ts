import type { KubeObject } from '@/lib/kube/object';
import { toAddress, toObjectKey } from '@/lib/kube/object';
import type { ResourceTracker } from '@/server/dispatch';
import { FINALIZER, NotServingError } from '@/server/dispatch';
import { yieldToEventLoop } from '@/server/platform';
import { currentTracker, isApplied, isLeftAlone, mayCollectAfterFailure } from '../decide/applied';
import type { ConditionValues, Step } from '../decide/conditions';
import { confidentialCondition, isFalse, isTrue } from '../decide/conditions';
import type { Decision, RunPlan } from '../decide/model';
import type { Obstacle } from '../decide/obstacle';
import { passOutcomeOf } from '../decide/obstacle';
import { onlyRequestedReverts } from '../decide/revert';
import { statusAtEnd } from '../decide/status';
import { findForeignClaim } from '../observe/claims';
import { findObstacle, OUTDATED_MS } from '../observe/find-obstacle';
import { isStaleObservation } from '../observe/live-checks';
import type { Observation } from '../observe/observe';
import type { PlanVerification } from '../observe/verify-plan';
import { recordUnpermitted, recordWithheld } from '../permission/audit-entries';
import { ensureValues } from '../values/act-values';
import { clearPreviewedPlan, recordMoved } from './acceptance';
import { collect } from './collect';
import { collectionRequest } from './collection-request';
import type { ActContext } from './context';
import { WRITER, warnOnce } from './context';
import { dispatch, keepServed, restore } from './dispatch';
import { finalize } from './finalize';
import { clearRevertRequest, explainRefusedRevert } from './revert';
import { ensureRevision, pruneRevisions } from './revisions';
import { actOnRollout } from './rollout';
import type { RequeueAfter } from './status';
import { report, reportFailedStep, warnOfInlineValues, writeStatus } from './status';

/** Carries out a decision. Every step may be repeated: what is done already is found done. */
export async function act(decision: Decision, { seen, ...context }: ActContext & { readonly seen: Observation }): Promise<RequeueAfter> {
  switch (decision.kind) {
    case 'refuse':
      return refuse(context, decision, seen);
    case 'finalize':
      return finalize(context, decision, seen);
    case 'run':
      return run(context, decision.plan, seen);
  }
}

async function refuse(
  context: ActContext,
  { condition, reason, sentence, phase }: Extract<Decision, { kind: 'refuse' }>,
  seen: Observation,
): Promise<RequeueAfter> {
  const { object, application } = seen;
  const Parsed = 'fault' in application ? isFalse('Invalid', application.fault) : isTrue('Parsed');
  const before = { Parsed, ...(await readableValues(context, seen)) };
  await writeStatus(context, object, statusAtEnd(object, { phase, step: condition, value: isFalse(reason, sentence), before }));
  return undefined;
}

/** Values that stand in an application are read by others whatever is in its way. Of one that cannot be read, or is going, what was told stays. */
async function readableValues(context: ActContext, { object, application, inline }: Observation): Promise<ConditionValues> {
  if ('fault' in application || object.metadata.deletionTimestamp !== undefined) return {};
  return confidentialCondition(object, await warnOfInlineValues(context, { object, inline }));
}

/** A plan that nothing is in the way of. */
interface Run {
  readonly plan: RunPlan;
  readonly agreement: PlanVerification;
  /** The application as it was last written. */
  readonly object: KubeObject;
}

async function run(context: ActContext, asked: RunPlan, seen: Observation): Promise<RequeueAfter> {
  const found = await findObstacle(context, asked, seen);
  if (found.kind !== 'clear') return endAt(context, found, { plan: asked, object: seen.object, seen });
  const { plan, agreement } = found;
  const object = await ensureFinalizer(context, seen.object);
  await ensureValues(context, plan, seen);
  await recordWithheld(context, seen);
  await ensureRevision(context, plan, { agreement, isBegun: currentTracker(plan, seen.trackers) !== undefined, revisions: seen.revisions });
  const claim = plan.dispatch ? await findForeignClaim(plan.application, plan.rendered.manifests, claimDeps(context, seen)) : undefined;
  if (claim !== undefined) return endAt(context, { kind: 'objectTaken', why: claim }, { plan, object, seen });
  return carryOut(context, { plan, agreement, object }, seen);
}

async function carryOut(context: ActContext, { plan, agreement, object }: Run, seen: Observation): Promise<RequeueAfter> {
  const turn = () => yieldToEventLoop(context.deps.clock);
  let step: Step = 'Applied';
  try {
    const refusal = await explainRefusedRevert(context, plan);
    const mayRevert = refusal === undefined ? plan : { ...plan, toRevert: new Set<string>() };
    const tracker = await applyWanted(context, mayRevert, seen);
    const unkept = await keepServed(context, mayRevert, seen);
    if (isStaleObservation(unkept)) return OUTDATED_MS;
    const answered = await clearRevertRequest(context, plan, object, refusal);
    await turn();
    step = 'RolledOut';
    await actOnRollout(context, plan, seen);
    step = 'Collected';
    const mayGo = plan.collect.kind === 'now';
    const outcome = await collect(
      context,
      { ...(await collectionRequest(context, { plan, agreement, next: tracker }, seen)), mayGo },
      seen,
    );
    if (unkept !== undefined) throw unkept;
    await turn();
    if (!plan.isUnrecorded) await pruneRevisions(context, plan, seen);
    const isDone = mayGo && outcome.kind === 'done';
    const again = await report(context, {
      seen,
      plan,
      object: isDone ? await clearPreviewedPlan(context, agreement, answered) : answered,
      tracker,
      outcome,
    });
    const pacedMs = context.revertPace.nextMs(toObjectKey(plan.application), context.deps.clock.now());
    return pacedMs === undefined ? again : Math.min(again ?? pacedMs, pacedMs);
  } catch (error) {
    if (isStaleObservation(error)) return OUTDATED_MS;
    if (error instanceof NotServingError) return endAt(context, { kind: 'unserved', why: error.message }, { plan, object, seen });
    await collectAfterFailure(context, { plan, agreement, object }, seen);
    throw await reportFailedStep(context, { plan, object, step }, error);
  }
}

/** Says what is in the way, on record and by an Event where that is not in its condition for all to see, and when to look again. */
async function endAt(
  context: ActContext,
  obstacle: Obstacle,
  { plan: { application, revision }, object, seen }: Omit<Run, 'agreement'> & { readonly seen: Observation },
): Promise<RequeueAfter> {
  if (obstacle.kind === 'unpermitted') await recordUnpermitted(context, object, obstacle.why);
  if (obstacle.kind === 'ungranted') await warnOnce(context, object, { reason: 'NotGranted', message: obstacle.why });
  if (obstacle.kind === 'planMoved') await recordMoved(context, object, obstacle);
  const { phase, value, againMs } = passOutcomeOf(obstacle, isApplied(application, revision));
  if (value === undefined) return againMs;
  const before = { Parsed: isTrue('Parsed'), ...(await readableValues(context, seen)) };
  await writeStatus(context, object, statusAtEnd(object, { phase, step: 'Applied', value, before }));
  return againMs;
}

/** Applies what the plan says is to be applied now. Answers the tracker of the plan's revision. */
async function applyWanted(context: ActContext, plan: RunPlan, seen: Observation): Promise<ResourceTracker | undefined> {
  const held = currentTracker(plan, seen.trackers);
  if (plan.restore !== undefined) await restore(context, plan, plan.restore, seen);
  if (!plan.dispatch) return held;
  if (!isLeftAlone(plan, held)) return dispatch(context, plan, seen);
  const asked = onlyRequestedReverts(plan);
  if (asked !== undefined) await dispatch(context, asked, seen);
  return held;
}

/** Where the policy says so, a revision that cannot be applied whole does not keep what it lacks. */
async function collectAfterFailure(context: ActContext, { plan, agreement }: Run, seen: Observation): Promise<void> {
  const next = currentTracker(plan, seen.trackers);
  if (!mayCollectAfterFailure(plan, next)) return;
  await collect(context, { ...(await collectionRequest(context, { plan, agreement, next }, seen)), mayGo: true }, seen);
}

function claimDeps({ deps, objects, signal }: ActContext, seen: Observation) {
  return {
    cache: objects,
    client: deps.cluster,
    trackerNamed: seen.trackerNamed,
    recordedBy: seen.recordedBy,
    trackers: seen.trackers,
    signal,
    yieldToEventLoop: () => yieldToEventLoop(deps.clock),
  };
}

async function ensureFinalizer({ deps, signal }: ActContext, object: KubeObject): Promise<KubeObject> {
  const { finalizers = [], resourceVersion } = object.metadata;
  if (finalizers.includes(FINALIZER.tracker)) return object;
  const body = { metadata: { finalizers: [...finalizers, FINALIZER.tracker], resourceVersion } };
  return deps.cluster.patch(toAddress(object), { type: 'merge', body }, { ...WRITER, signal });
}
