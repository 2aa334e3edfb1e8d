import { messageOf } from '@/lib/contract/app-error';
import { getCondition } from '@/lib/kube/condition';
import type { KubeObject } from '@/lib/kube/object';
import { describeObject, toAddress, toObjectKey } from '@/lib/kube/object';
import { formatCount } from '@/lib/words/figures';
import type { DispatchOptions, ManifestPolicy, ResourceTracker, WrittenManifest } from '@/server/dispatch';
import { AppManifestsDispatcher, constructResourceTrackerName, ENGINE_MERGE_OPTIONS, LABEL } from '@/server/dispatch';
import { yieldToEventLoop } from '@/server/platform';
import { isApplied, isStateKeep } from '../decide/applied';
import type { RestorePlan, RunPlan } from '../decide/model';
import type { Repair } from '../decide/repair';
import { repairOf } from '../decide/repair';
import { isRevertRequested } from '../decide/revert';
import type { Claims } from '../observe/claims';
import { explainClaim } from '../observe/claims';
import { hasMoved, StaleObservationError } from '../observe/live-checks';
import { withFirstScale } from '../render/staged';
import { servedPolicy } from '../served/served-policy';
import { isAppliedOnce, manifestPolicy } from '../spec/policies';
import type { ActContext } from './context';
import { record, warnOnce } from './context';

const CONCURRENCY = 16;

/** Applies a revision, takes shared objects over and puts that on record; deletes nothing. Answers the revision's tracker. */
export async function dispatch(context: ActContext, plan: RunPlan, claims: Claims): Promise<ResourceTracker> {
  const { application, revision, rendered } = plan;
  const tracker = await applyRevision(context, plan, claims);
  // The condition is written after the record, so it tells that the record is there.
  if (isApplied(application, revision)) return tracker;
  await record(context, {
    id: `application.dispatched:${application.uid}:${revision.name}`,
    action: 'application.dispatched',
    about: toAddress(application.object),
    message: `${formatCount(rendered.manifests.length, 'object')} of ${revision.name} ${rendered.manifests.length === 1 ? 'is' : 'are'} applied`,
  });
  return tracker;
}

/** While a revision is rejected: gives back to the stable one what both have. */
export async function restore(context: ActContext, plan: RunPlan, stable: RestorePlan, claims: Claims): Promise<void> {
  const { application, revision } = plan;
  await applyRevision(context, { ...plan, ...stable, previous: revision.name }, claims);
  if (getCondition(application.object, 'Applied')?.reason === 'Rejected') return;
  await record(context, {
    id: `application.restored:${application.uid}:${revision.name}`,
    action: 'application.restored',
    about: toAddress(application.object),
    message: `${revision.name} was rejected; ${formatCount(stable.rendered.manifests.length, 'object')} that it shares with ${stable.revision.name} ${stable.rendered.manifests.length === 1 ? 'is' : 'are'} restored to that revision`,
  });
}

/**
 * Keeps what revisions have that the rollout serves beside the applied one as they were applied. Answers why one could not be kept: the applied one goes
 * its way all the same.
 */
export async function keepServed(context: ActContext, plan: RunPlan, claims: Claims): Promise<Error | undefined> {
  let failure: Error | undefined;
  for (const { revision, rendered, workload } of plan.served) {
    const isLeft = isAppliedOnce(plan.application.policies);
    const manifests = rendered.manifests.filter((manifest) => !isLeft || isRevertRequested(plan.toRevert, manifest));
    if (manifests.length === 0) continue;
    try {
      await applyRevision(context, { ...plan, revision, rendered: { ...rendered, manifests }, previous: undefined, workload }, claims);
    } catch (cause) {
      failure ??= new Error(`${revision.name} is still served, and is not as it was applied: ${messageOf(cause)}`, { cause });
    }
  }
  return failure;
}

interface Applied extends RunPlan {
  /** The workload of a revision that is served beside the applied one: it is kept as it is, and its scale is the rollout's. */
  readonly workload?: string;
}

async function applyRevision(context: ActContext, asked: Applied, claims: Claims): Promise<ResourceTracker> {
  const { application, revision, rendered, previous, accepted, toRevert, workload: served } = asked;
  const { deps, objects, secretKey, signal } = context;
  const { name, namespace, uid, generation } = application;
  const occasion = served !== undefined || isStateKeep(asked) ? 'onStateKeep' : 'onUpdate';
  const staged = new Set(Object.values(rendered.workloads).flatMap((workload) => (workload.staged ? workload.name : [])));
  const policyOf = (manifest: KubeObject) => policyFor(asked, manifest, occasion);
  const written: WrittenManifest[] = [];
  const options: DispatchOptions = {
    merge: ENGINE_MERGE_OPTIONS,
    writing: {
      dryRunFirst: served === undefined,
      awaitPrerequisites: true,
      skipUnchanged: true,
      concurrency: CONCURRENCY,
      secretKey,
      policyOf,
      isLeftForNow: (manifest) =>
        occasion === 'onStateKeep' && !isRevertRequested(toRevert, manifest) && waitsForRevert(context, application, manifest),
      mayTouch: (existing, manifest) => explainClaim(application, manifest, existing, claims),
      beforeWrite: async () => {
        if (await hasMoved(context, application.object))
          throw new StaleObservationError(`application ${name} has changed since its plan was computed`);
      },
      onWritten: (one) => written.push(one),
      // Only the first write of a workload under a rollout has replicas, and of its autoscaler bounds: from then on they are the rollout's.
      onCreate: (manifest) => (isStaged(manifest, staged) ? withFirstScale(manifest) : manifest),
    },
    tracking: {
      missingPrevious: 'ignore',
      record: 'beforeApply',
      recordConflict: 'fail',
      strictNames: true,
      superseded: accepted,
      recordReferences: isAppliedOnce(application.policies),
      application: { name, namespace, uid, generation },
    },
    tools: {
      cache: objects.withTrackers(context.stores.trackers),
      clock: deps.clock,
      yieldToEventLoop: () => yieldToEventLoop(deps.clock),
      random: deps.random,
    },
  };
  const dispatcher = new AppManifestsDispatcher(deps.cluster, { name: revision.name, namespace }, options);
  return (
    dispatcher
      .startAndSkipGC(previous === undefined ? null : { name: constructResourceTrackerName(previous, namespace) })
      .dispatch(rendered.manifests, signal)
      // Once a revision is applied, whatever is written puts back what somebody changed; also where the dispatch then fails.
      .finally(async () => {
        if (occasion !== 'onStateKeep') return;
        for (const one of written)
          await noteRepair(context, application, { isRevert: one.before !== undefined, ...repairOf(one, policyOf(one.manifest)) });
      })
  );
}

function policyFor(
  { application: { policies }, toRevert, workload }: Applied,
  manifest: KubeObject,
  occasion: 'onUpdate' | 'onStateKeep',
): ManifestPolicy {
  const { keep, ...policy } =
    workload === undefined ? manifestPolicy(policies, manifest, occasion) : servedPolicy(policies, manifest, workload);
  return keep === undefined || isRevertRequested(toRevert, manifest) ? policy : { ...policy, keep };
}

function isStaged({ metadata: { name = '', labels } }: KubeObject, staged: ReadonlySet<string>): boolean {
  return staged.has(name) && labels?.[LABEL.rolloutRevision] === name;
}

/** Puts on record what was put back; the same again within a while is only counted. */
async function recordRepair(context: ActContext, { key, object, sentence, fields }: Repair): Promise<void> {
  const suppressed = context.repairs.take(key, context.deps.clock.now());
  if (suppressed === undefined) return;
  const often = suppressed === 0 ? '' : `; this happened ${formatCount(suppressed, 'more time')} since it was last recorded`;
  const { uid = '', resourceVersion = '' } = object.metadata;
  const id = `drift.repaired:${uid}:${resourceVersion}`;
  await record(context, { id, action: 'drift.repaired', about: toAddress(object), message: `${sentence}${often}`, data: { fields } });
}

const nameOf = (object: KubeObject) => describeObject(toAddress(object));

function waitsForRevert({ deps, revertPace }: ActContext, application: RunPlan['application'], manifest: KubeObject): boolean {
  return revertPace.waitMs(toObjectKey(application), nameOf(manifest), deps.clock.now()) > 0;
}

/** Puts a repair on record. An object that is changed back each time waits before it is reverted again, which an Event tells. */
async function noteRepair(context: ActContext, application: RunPlan['application'], repair: Repair & { readonly isRevert: boolean }) {
  await recordRepair(context, repair);
  const { object, sentence, isRevert } = repair;
  if (!isRevert) return;
  const { count, waitMs } = context.revertPace.note(toObjectKey(application), nameOf(object), context.deps.clock.now());
  if (waitMs === 0) return;
  const message = `${sentence}. It is changed back each time, so reverts of it now pause for up to 5 minutes`;
  context.deps.log.warn(
    { application: toObjectKey(application), object: nameOf(object), count, waitMs },
    'an object is reverted again and again',
  );
  await warnOnce(context, application.object, { reason: 'RevertedRepeatedly', message });
}
