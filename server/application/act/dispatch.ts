import { getCondition } from '@/lib/kube/condition';
import type { KubeObject } from '@/lib/kube/object';
import { describeObject, toAddress, toObjectKey } from '@/lib/kube/object';
import { formatCount } from '@/lib/words/figures';
import type { DispatchOptions, ManifestPolicy, ResourceTracker, WrittenManifest } from '@/server/dispatch';
import { AppManifestsDispatcher, constructResourceTrackerName, ENGINE_MERGE_OPTIONS, LABEL } from '@/server/dispatch';
import { yieldToEventLoop } from '@/server/platform';
import { isApplied } from '../decide/applied';
import type { RestorePlan, RunPlan } from '../decide/model';
import type { Repair } from '../decide/repair';
import { repairOf } from '../decide/repair';
import { isRevertRequested } from '../decide/revert';
import type { Claims } from '../observe/claims';
import { explainClaim } from '../observe/claims';
import { hasMoved, OutdatedError } from '../observe/live-checks';
import { withFirstScale } from '../render/staged';
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

async function applyRevision(
  context: ActContext,
  { application, revision, rendered, previous, accepted, toRevert }: RunPlan,
  claims: Claims,
): Promise<ResourceTracker> {
  const { deps, objects, secretKey, signal } = context;
  const { name, namespace, uid, generation } = application;
  const { policies } = application;
  const occasion = isApplied(application, revision) ? 'onStateKeep' : 'onUpdate';
  const staged = new Set(Object.values(rendered.workloads).flatMap((workload) => (workload.staged ? workload.name : [])));
  const policyOf = (manifest: KubeObject): ManifestPolicy => {
    const { keep, ...policy } = manifestPolicy(policies, manifest, occasion);
    return keep === undefined || isRevertRequested(toRevert, manifest) ? policy : { ...policy, keep };
  };
  const written: WrittenManifest[] = [];
  const options: DispatchOptions = {
    merge: ENGINE_MERGE_OPTIONS,
    writing: {
      dryRunFirst: true,
      awaitPrerequisites: true,
      skipUnchanged: true,
      concurrency: CONCURRENCY,
      secretKey,
      policyOf,
      isLeftForNow: (manifest) =>
        occasion === 'onStateKeep' && !isRevertRequested(toRevert, manifest) && waitsForRevert(context, application, manifest),
      mayTouch: (existing, manifest) => explainClaim(application, manifest, existing, claims),
      beforeWrite: async () => {
        if (await hasMoved(context, application.object)) throw new OutdatedError(`application ${name} has changed since it was judged`);
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
      recordReferences: isAppliedOnce(policies),
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

function isStaged({ metadata: { name = '', labels } }: KubeObject, staged: ReadonlySet<string>): boolean {
  return staged.has(name) && labels?.[LABEL.rolloutRevision] === name;
}

/** Puts on record what was put back; the same again within a while is only counted. */
async function recordRepair(context: ActContext, { key, object, sentence, fields }: Repair): Promise<void> {
  const untold = context.repairs.take(key, context.deps.clock.now());
  if (untold === undefined) return;
  const often = untold === 0 ? '' : `; this happened ${formatCount(untold, 'more time')} since it was last recorded`;
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
