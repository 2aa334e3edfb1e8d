import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { toAddress, toObjectKey } from '@/lib/kube/object';
import type { ResourceTracker } from '@/server/dispatch';
import { FINALIZER, LABEL, listsAll, NotServingError } from '@/server/dispatch';
import { isAlreadyExists, isNotFound } from '@/server/kube';
import { breathe } from '@/server/platform';
import { currentTracker, isApplied, isLeftAlone } from '../decide/applied';
import type { Step } from '../decide/conditions';
import { isFalse, isTrue, isUnknown } from '../decide/conditions';
import type { Decision, RunPlan } from '../decide/decide';
import { findForeignClaim } from '../observe/claims';
import { explainOutdated, isOutdated } from '../observe/moved';
import type { NotKnownYet } from '../observe/object-stores';
import type { Observation } from '../observe/observe';
import { explainUngranted, explainUngrantedEnd, tellUngranted, UNGRANTED_MS } from '../observe/ungranted';
import { recordUnpermitted, sayRequester } from '../permission/on-record';
import { explainUnpermitted } from '../permission/requester';
import { readRevision, toRevisionObject } from '../revision';
import { ensureValues, planWithValues } from '../values/act-values';
import { collect } from './collect';
import type { ActContext } from './context';
import { record, WRITER } from './context';
import { dispatch, restore } from './dispatch';
import { tellFailedStep } from './failure';
import type { Agreement } from './plan';
import { acceptance, agree, noteOnRevision, recordAcceptance, spend } from './plan';
import { explainUnputBack, forgetPutBack, onlyAsked } from './put-back';
import { pruneRevisions } from './revisions';
import { actOnRollout } from './rollout';
import type { RequeueAfter } from './status';
import { LOOK_AGAIN_MS, report, writeEnd, writeStatus } from './status';

const SERVING_MS = 500;
/** Workloads whose first list is under way. */
const UNREAD_MS = 1000;
/** A change that the server has and the watch did not tell yet. */
const OUTDATED_MS = 1000;
const OURS: ReadonlySet<string> = new Set([FINALIZER.legacyTracker, FINALIZER.tracker, FINALIZER.revisions, FINALIZER.orphan]);

/** Carries out a decision. Every step may be repeated: what is done already is found done. */
export async function act(context: ActContext, decision: Decision, seen: Observation): Promise<RequeueAfter> {
  switch (decision.kind) {
    case 'refuse':
      return refuse(context, decision, seen);
    case 'finalize':
      return finalize(context, decision.olds, seen);
    case 'run':
      return run(context, decision.plan, seen);
  }
}

async function refuse(
  context: ActContext,
  { condition, reason, sentence, phase }: Extract<Decision, { kind: 'refuse' }>,
  seen: Observation,
): Promise<RequeueAfter> {
  const parsed = 'fault' in seen.application ? isFalse('Invalid', seen.application.fault) : isTrue('Parsed');
  await writeEnd(context, seen.object, { phase, step: condition, value: isFalse(reason, sentence), before: { Parsed: parsed } });
  return undefined;
}

async function run(context: ActContext, asked: RunPlan, seen: Observation): Promise<RequeueAfter> {
  const turn = () => breathe(context.deps.clock);
  await turn();
  // Before any kind that it names is watched: what is refused costs nothing.
  const unpermitted = await explainUnpermitted(context, asked, seen);
  if (unpermitted !== undefined) {
    await recordUnpermitted(context, seen.object, unpermitted);
    return hold(context, seen.object, 'NotPermitted', unpermitted);
  }
  await turn();
  const ungranted = await explainUngranted(context, asked, seen);
  if (ungranted !== undefined) {
    await tellUngranted(context, seen.object, ungranted);
    await hold(context, seen.object, 'NotGranted', ungranted);
    return UNGRANTED_MS;
  }
  // A grant was given, and what it lets read is about to be.
  if (context.stores.deployments.covers(asked.application.namespace).kind !== 'held')
    return waitForCopies(context, asked, { againMs: UNREAD_MS, why: undefined });
  await turn();
  const needed = [...asked.rendered.manifests, ...asked.olds.flatMap(({ entries }) => entries)];
  const unknown = await context.objects.ensure(needed, toObjectKey(seen.object.metadata), context.signal);
  if (unknown !== undefined) return waitForCopies(context, asked, unknown);
  await turn();
  const outdated = asked.revision.stored === undefined ? await explainOutdated(context, seen) : undefined;
  if (outdated !== undefined) return waitForCopies(context, asked, { againMs: OUTDATED_MS, why: outdated });
  await turn();
  const resolved = await planWithValues(context, asked, seen);
  if (resolved.kind === 'missing') return hold(context, seen.object, 'ValuesMissing', resolved.why);
  const { plan } = resolved;
  const agreement = await agree(context, plan, seen);
  if (agreement.kind === 'moved') return hold(context, seen.object, 'PlanMoved', agreement.why);
  if (agreement.kind === 'blocked') return hold(context, seen.object, 'PlanRefused', agreement.why);
  const object = await ensureFinalizer(context, seen.object);
  await ensureValues(context, plan, seen);
  await ensureRevision(context, plan, { agreement, isBegun: currentTracker(plan, seen.trackers) !== undefined });
  const claim = plan.dispatch ? await findForeignClaim(plan.application, plan.rendered.manifests, claimDeps(context, seen)) : undefined;
  if (claim !== undefined) return hold(context, object, 'ObjectTaken', claim);
  let step: Step = 'Applied';
  try {
    const refusal = await explainUnputBack(context, plan);
    const tracker = await applyWanted(context, refusal === undefined ? plan : { ...plan, putBack: new Set() }, seen);
    const answered = await forgetPutBack(context, plan, object, refusal);
    await turn();
    step = 'RolledOut';
    await actOnRollout(context, plan, seen);
    step = 'Collected';
    const outcome = await collect(context, collectionRequest(plan, seen, tracker, agreement), seen, plan.collect.kind === 'now');
    await turn();
    if (!plan.isNews) await pruneRevisions(context, plan, seen);
    const isDone = plan.collect.kind === 'now' && outcome.kind === 'done';
    return await report(context, {
      plan,
      object: isDone ? await spend(context, agreement, answered) : answered,
      tracker,
      outcome,
      withheld: seen.withheld,
      inline: seen.inline,
    });
  } catch (error) {
    if (isOutdated(error)) return OUTDATED_MS;
    if (error instanceof NotServingError) return waitForGround(context, object, error);
    await collectAfterFailure(context, plan, seen, agreement);
    throw await tellFailedStep(context, { plan, object, step }, error);
  }
}

/** Applies what the plan says is to be applied now. Answers the tracker of the plan's revision. */
async function applyWanted(context: ActContext, plan: RunPlan, seen: Observation): Promise<ResourceTracker | undefined> {
  const held = currentTracker(plan, seen.trackers);
  const isLeft = isLeftAlone(plan, held);
  const tracker = plan.dispatch && !isLeft ? await dispatch(context, plan, seen) : held;
  const asked = plan.dispatch && isLeft ? onlyAsked(plan) : undefined;
  if (asked !== undefined) await dispatch(context, asked, seen);
  if (plan.restore !== undefined) await restore(context, plan, plan.restore, seen);
  return tracker;
}

/** Nothing is judged by copies whose first list is under way. What is applied already keeps its status meanwhile. */
async function waitForCopies(context: ActContext, { application, revision }: RunPlan, { againMs, why }: NotKnownYet): Promise<RequeueAfter> {
  if (why === undefined || isApplied(application, revision)) return againMs;
  await writeEnd(context, application.object, { step: 'Applied', value: isUnknown('Waiting', why) });
  return againMs;
}

async function hold(context: ActContext, object: KubeObject, reason: string, why: string): Promise<RequeueAfter> {
  await writeEnd(context, object, { phase: 'held', step: 'Applied', value: isFalse(reason, why) });
  return LOOK_AGAIN_MS;
}

/** New kinds take a moment until they are served. Their watch wakes the application; discovery, which nobody watches, is asked again. */
async function waitForGround(context: ActContext, object: KubeObject, { message }: NotServingError): Promise<RequeueAfter> {
  await writeEnd(context, object, { step: 'Applied', value: isUnknown('Waiting', message) });
  return SERVING_MS;
}

/** Where the policy says so, a revision that cannot be applied whole does not keep what it lacks. Only a record that lists all of it is relied on. */
async function collectAfterFailure(context: ActContext, plan: RunPlan, seen: Observation, agreement: Agreement): Promise<void> {
  const next = currentTracker(plan, seen.trackers);
  if (!plan.application.policies.garbage.continueOnFailure || plan.collect.kind !== 'now' || next === undefined || !listsAll(next, plan.rendered.manifests))
    return;
  await collect(context, collectionRequest(plan, seen, next, agreement), seen, true);
}

function claimDeps({ deps, objects, signal }: ActContext, seen: Observation) {
  return {
    cache: objects,
    client: deps.cluster,
    trackerNamed: seen.trackerNamed,
    recordedBy: seen.recordedBy,
    trackers: seen.trackers,
    signal,
    breathe: () => breathe(deps.clock),
  };
}

function collectionRequest({ application, olds, rollout }: RunPlan, seen: Observation, next: ResourceTracker | undefined, agreement: Agreement) {
  const target = rollout.kind === 'ensure' ? rollout.target.revisionName : undefined;
  const seenGarbage = target !== undefined && seen.rollout?.target === target ? seen.rollout.seenGarbage : undefined;
  const accepted = agreement.kind === 'same' ? agreement.deletions : undefined;
  return { application, olds, next, components: application.spec.components.map(({ name }) => name), seenGarbage, accepted, target };
}

async function ensureFinalizer({ deps, signal }: ActContext, object: KubeObject): Promise<KubeObject> {
  const { finalizers = [], resourceVersion } = object.metadata;
  if (finalizers.includes(FINALIZER.tracker)) return object;
  const body = { metadata: { finalizers: [...finalizers, FINALIZER.tracker], resourceVersion } };
  return deps.cluster.patch(toAddress(object), { type: 'merge', body }, { ...WRITER, signal });
}

interface Standing {
  readonly agreement: Agreement;
  /** Whether anything of the revision was applied before. */
  readonly isBegun: boolean;
}

/** The revision is there, is on record, and says which plan it was accepted with, before anything of it is. */
async function ensureRevision(context: ActContext, plan: RunPlan, { agreement, isBegun }: Standing): Promise<void> {
  const { application, revision } = plan;
  await recordAcceptance(context, agreement, plan);
  if (revision.stored !== undefined) {
    // Whoever made it may have died, or lost the answer, before that was on record.
    if (!isBegun) await recordRevision(context, plan, revision.stored.object);
    return noteOnRevision(context, agreement, plan, revision.stored);
  }
  const { cluster } = context.deps;
  const wanted = toRevisionObject(application, revision.name, revision.hash, acceptance(agreement));
  try {
    await recordRevision(context, plan, await cluster.create(wanted, { ...WRITER, signal: context.signal }));
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    // A watch that lags: the name is taken, and only the same content may go on under it.
    const found = readRevision(await cluster.get(toAddress(wanted), { signal: context.signal }));
    if (found?.hash !== revision.hash) throw error;
    await recordRevision(context, plan, found.object);
    await noteOnRevision(context, agreement, plan, found);
  }
}

async function recordRevision(context: ActContext, { application, revision }: RunPlan, made: KubeObject): Promise<void> {
  const message = `${revision.name} of ${application.name}, hash ${revision.hash}${await sayRequester(context, application.object)}`;
  return record(context, { id: `revision.created:${made.metadata.uid ?? ''}`, action: 'revision.created', about: toAddress(made), message });
}

async function finalize(context: ActContext, olds: readonly ResourceTracker[], seen: Observation): Promise<RequeueAfter> {
  const { object } = seen;
  const { finalizers = [], name = '', namespace = '', uid = '', resourceVersion } = object.metadata;
  if (!finalizers.some((one) => OURS.has(one))) return undefined;
  const legacy = finalizers.includes(FINALIZER.legacyTracker) ? seen.trackerNamed(`${namespace}-${name}`) : undefined;
  const all = legacy === undefined || olds.some((old) => old.name === legacy.name) ? olds : [legacy, ...olds];
  const parsed = 'fault' in seen.application ? undefined : seen.application;
  const release = finalizers.includes(FINALIZER.orphan);
  const application = { name, namespace, uid, rollout: parsed?.rollout, policies: parsed?.policies };
  const needed = all.flatMap(({ entries }) => entries);
  const ungranted = await explainUngrantedEnd(context, object, needed);
  if (ungranted !== undefined) {
    await tellUngranted(context, object, ungranted);
    await writeStatus(context, object, { phase: 'deleting', values: { Collected: isFalse('NotGranted', ungranted), Ready: isFalse('NotGranted', ungranted) } });
    return UNGRANTED_MS;
  }
  const unknown = await context.objects.ensure(needed, toObjectKey(object.metadata), context.signal);
  if (unknown !== undefined) {
    if (unknown.why !== undefined) await writeStatus(context, object, { phase: 'deleting', values: { Ready: isFalse('Waiting', unknown.why) } });
    return unknown.againMs;
  }
  const request = { application, olds: all, next: undefined, components: [], seenGarbage: undefined, accepted: undefined, target: undefined, release };
  const outcome = await collect(context, request, seen, true);
  if (outcome.kind !== 'done') {
    const why = outcome.kind === 'held' ? outcome.why : 'checking what to delete';
    await writeStatus(context, object, { phase: 'deleting', values: { Collected: isFalse('Held', why), Ready: isFalse('Deleting', why) }, outcome });
    return LOOK_AGAIN_MS;
  }
  if (await hasTrackers(context, { name, namespace }, all)) return LOOK_AGAIN_MS;
  const body = { metadata: { finalizers: finalizers.filter((one) => !OURS.has(one)), resourceVersion } };
  try {
    await context.deps.cluster.patch(toAddress(object), { type: 'merge', body }, { ...WRITER, signal: context.signal });
  } catch (error) {
    if (!isNotFound(error)) throw error; // an earlier pass let it go already
  }
  await record(context, {
    id: `application.deleted:${uid}`,
    action: 'application.deleted',
    about: toAddress(object),
    message: `application ${name} and its objects are deleted`,
  });
  return undefined;
}

/** Asks the server, since nothing looks after what a tracker lists once its application is gone, and a watched copy may lag. */
async function hasTrackers(
  { deps, signal }: ActContext,
  application: { readonly name: string; readonly namespace: string },
  collected: readonly ResourceTracker[],
) {
  const done = new Set(collected.map(({ uid }) => uid));
  const labelSelector = `${LABEL.appName}=${application.name}`;
  for await (const { items } of deps.cluster.list(KINDS.resourceTracker, { labelSelector, signal })) {
    for (const { metadata } of items) {
      if (metadata.labels?.[LABEL.appNamespace] === application.namespace && !done.has(metadata.uid ?? '')) return true;
    }
  }
  return false;
}
