import { messageOf } from '@/lib/contract/app-error';
import { deepEqual } from '@/lib/std/deep-equal';
import type { Difference } from '../compare/compare-release';
import { compareRelease } from '../compare/compare-release';
import { Cancelled } from '../decisions/cancellations';
import type { DeclaredRelease, ExtendedRelease } from '../model/declared';
import type { StoredRevision } from '../model/release';
import type { ReleaseRequest, Trigger } from '../ports';
import { isInterrupted } from '../process/interrupted';
import type { SyncDecision } from './decide-sync';
import { syncDrift } from './drift';
import { reportRolledBack, resumeRollback, resumeTest, untestedSince } from './resume-attempt';
import type { Run } from './run-release';
import { mark, runRelease } from './run-release';
import { statusOfAttemptEnd } from './status/last-attempt';
import type { ExtendedDeps, Outcome, Sync } from './sync';
import { isReported, recordAttemptedDigest, settle, staysRolledBack } from './sync';
import type { ReleasePlan, SyncObservation } from './sync-observation';

const FAILED_BACK = 'the rollback failed after the server that started it had stopped';

/** A decision that something follows. */
type Act = Exclude<SyncDecision, { readonly kind: 'pass-over' }>;

/** Carries out what was decided of a release, and drafts the status that tells it. Never throws: what failed is an outcome. */
export async function actOnSync(decision: Act, { seen, sync, deps }: Context & { readonly seen: SyncObservation }): Promise<Outcome> {
  const { draft, resource } = sync;
  if (seen.chart?.isNews === true) draft.phase('ChartFetched');
  if ('last' in seen && seen.last.left === 'rollback-failed') draft.phase('RollbackFailed', { message: FAILED_BACK });
  try {
    // From here on the release is its own: deleting it must not leave that behind.
    if (isOwn(decision) && !resource.hasFinalizer) await deps.resources.addFinalizer(resource.at);
    return await carryOut(decision, { sync, deps });
  } catch (error) {
    if (isInterrupted(error)) return { outcome: 'cut-off', error: messageOf(error) };
    if (!isReported(error)) draft.phase('Failed', { message: messageOf(error) });
    return { outcome: 'failed', error: messageOf(error), isCancelled: error instanceof Cancelled };
  }
}

function isOwn(decision: Act): boolean {
  return 'rule' in decision && decision.rule !== undefined && decision.rule !== 'X-OWN-1';
}

interface Context {
  readonly sync: Sync;
  readonly deps: ExtendedDeps;
}

async function carryOut(decision: Act, context: Context): Promise<Outcome> {
  if ('plan' in decision && decision.plan.last.left === 'rolled-back') await reportRolledBack(context.sync, decision.plan, context.deps);
  switch (decision.kind) {
    case 'wait':
      context.sync.draft.phase(decision.phase, { message: decision.sentence });
      return { outcome: 'waits', error: decision.sentence };
    case 'fail':
      if (decision.phase !== undefined) context.sync.draft.phase(decision.phase, { message: decision.sentence });
      return { outcome: 'failed', error: decision.sentence, isCancelled: false };
    case 'install':
      return run({ ...decision.plan, action: 'install', over: decision.over }, context);
    case 'upgrade':
      return run({ ...decision.plan, action: 'upgrade', over: 'nothing' }, context);
    case 'roll-back':
      return resumeRollback(context.sync, decision, context.deps);
    case 'compare':
      return compare(decision.with, decision.plan, context);
  }
}

/** What somebody saw of the change is what is run, or nothing is. */
async function run(planned: Run, { sync, deps }: Context): Promise<Outcome> {
  const { resource, by, draft, signal } = sync;
  const { request, valuesDigest } = planned;
  const hasOtherValues = draft.text('lastAttemptedValues') !== undefined && draft.text('lastAttemptedValues') !== valuesDigest;
  const isGated = deps.gate.isGated(resource);
  await deps.cancels.requireNotCancelled(resource, { by, chart: request.chart, isGated, hasOtherValues });
  const mayBegin = () =>
    deps.gate.requireCommit(resource, request.chart.revision, signal).catch((error: unknown) => {
      signal.throwIfAborted(); // nobody could tell any more
      throw error;
    });
  const skipped = await deps.plans.run(resource, request, () => runRelease(sync, { ...planned, request: { ...request, mayBegin } }, deps));
  return skipped ?? { outcome: planned.action === 'install' ? 'installed' : 'upgraded' };
}

async function compare(against: 'newest' | 'failed', plan: ReleasePlan, { sync, deps }: Context): Promise<Outcome> {
  const { resource } = sync;
  const stored = against === 'newest' ? plan.newest : await readNewestFailed(resource, deps);
  const isUnmoved = stored !== undefined && (await deps.equal.holds(plan.request, stored));
  const difference = isUnmoved ? undefined : await findDifference(plan.request, { stored, by: sync.by }, deps);
  if (difference === undefined) {
    await deps.plans.clearPreviewedPlan(resource);
    const found = { outcome: isUnmoved ? 'unmoved' : 'equal' } as const;
    return against === 'newest' ? ((await stand(plan, { sync, deps })) ?? found) : staysRolledBack(sync, found);
  }
  deps.log.info({ resource: resource.key, differs: difference.kind }, 'release has diverged');
  // The dry run took its time: what it was made for may not be wanted any more (X-SPEC-1).
  const live = await deps.resources.read(resource.at);
  if (live === undefined || !hasSameSpec(live, resource)) return { outcome: 'dropped' };
  return run({ ...plan, action: 'upgrade', over: 'nothing' }, { sync, deps });
}

/** There is nothing to release: what differs in the cluster is looked for, and told where it was put back. */
async function stand(plan: ReleasePlan, { sync, deps }: Context): Promise<Outcome | undefined> {
  const { request, chartChanged, last, foundMark } = plan;
  const { draft, resource } = sync;
  const untested = untestedSince(resource, plan);
  if (untested !== undefined) await resumeTest(sync, { request, before: untested }, deps);
  draft.phase('Succeeded');
  if (last.left !== undefined) {
    draft.set(statusOfAttemptEnd(resource.generation));
    if (foundMark === undefined) await mark(sync, plan, deps);
  }
  // The chart of the last attempt is what is released; where nobody could tell that one from the present one, they are equal now.
  if (chartChanged === 'unknown') draft.set({ lastAttemptedRevision: request.chart.revision });
  recordAttemptedDigest(draft, request.chart);
  settle(draft, draft.text('lastAttemptedRevision') ?? request.chart.revision);
  const putBack = await syncDrift(sync, request, deps);
  return putBack === undefined ? undefined : { outcome: 'put-back', putBack };
}

async function findDifference(
  request: ReleaseRequest,
  { stored, by }: { readonly stored: StoredRevision | undefined; readonly by: Trigger },
  { helm, equal }: ExtendedDeps,
): Promise<Difference | undefined> {
  if (stored === undefined) return helm.dryRun(request).then(() => undefined);
  const desired = await equal.dryRun(request, stored, by);
  const difference = compareRelease(desired, stored);
  await equal.note(request, stored, difference === undefined);
  return difference;
}

/** The newest revision that was not kept: what a rollback went back from (row h). */
async function readNewestFailed({ release }: ExtendedRelease, { helm }: ExtendedDeps): Promise<StoredRevision | undefined> {
  const history = await helm.readHistory(release);
  const entry = history.findLast(({ status }) => status === 'failed' || status === 'superseded');
  return entry === undefined ? undefined : helm.readRevision(release, entry.revision);
}

function hasSameSpec(live: DeclaredRelease, seen: ExtendedRelease): boolean {
  return live.profile === 'extended' && deepEqual(live.spec, seen.spec);
}
