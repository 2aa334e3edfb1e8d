import { isAppError, messageOf } from '@/lib/contract/app-error';
import { Cancelled } from '../decisions/cancellations';
import { releaseKey } from '../model/release';
import { readRevisionSource } from '../model/revision-source';
import { isInterrupted } from '../process/interrupted';
import { statusOfAttemptEnd, statusOfAttemptStart } from './status/last-attempt';
import type { ExtendedDeps, Sync } from './sync';
import { recordAttemptedDigest, reported, settle } from './sync';
import type { BeforeAttempt, InstallOver, ReleasePlan } from './sync-observation';

/** A release that was decided on. */
export interface Run extends ReleasePlan {
  readonly action: 'install' | 'upgrade';
  /** What an install finds. */
  readonly over: InstallOver;
}

/** Installs or upgrades a release, tests it, marks it, and puts right what a failure left (spec/chartsync 12.4, 5). Throws for what failed. */
export async function runRelease(sync: Sync, run: Run, deps: ExtendedDeps): Promise<void> {
  const { draft, flush, resource } = sync;
  const { request } = run;
  if (run.over === 'failed') await removeFailed(run, deps);
  // Read before anything is done: Helm prunes, and what was deployed must be known to go back to (X-RB-1).
  const history = await deps.helm.readHistory(request.release);
  const deployed = history.findLast(({ status }) => status === 'deployed')?.revision;
  const before = { action: run.action, after: history.at(-1)?.revision ?? 0, deployed };
  // What is left of an earlier attempt must not be taken for this one's.
  if (draft.conditionStatus('RolledBack') === 'Unknown') draft.dropCondition('RolledBack');
  draft.phase(run.action === 'install' ? 'Installing' : 'Upgrading');
  draft.set({ lastAttemptedRevision: request.chart.revision, lastAttemptedValues: run.valuesDigest });
  draft.set(statusOfAttemptStart(resource.generation, request.release, before));
  recordAttemptedDigest(draft, request.chart);
  await flush();
  await endingAttempt(sync, resource.generation, async () => {
    await deploy(sync, run, { deps, before });
    draft.phase('Deployed');
    await test(sync, run, { deps, before });
    draft.phase('Succeeded');
    settle(draft, request.chart.revision);
    await mark(sync, run, deps);
  });
}

/** Does what is left to do of an attempt, and has the status tell that it has ended, however it did; not where its process ends before. */
export async function endingAttempt({ draft }: Pick<Sync, 'draft'>, generation: number, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!isInterrupted(error)) draft.set(statusOfAttemptEnd(generation));
    throw error;
  }
  draft.set(statusOfAttemptEnd(generation));
}

/** What puts right what a failure left. */
export interface Context {
  readonly deps: ExtendedDeps;
  readonly before: BeforeAttempt;
}

async function deploy(sync: Sync, run: Run, { deps, before }: Context): Promise<void> {
  const { request, action, over } = run;
  try {
    if (action === 'install') await deps.helm.install(request, { kept: over === 'kept' });
    else await deps.helm.upgrade(request);
  } catch (error) {
    if (isInterrupted(error)) throw error;
    sync.draft.phase('DeployFailed', { message: messageOf(error) });
    if (action === 'install') await cleanUp(run, deps);
    else await rollBack(sync, run, { deps, before, rule: 'X-RB-1' });
    throw reported(error);
  }
}

/** A first install that failed would block its name: it goes, if it is all that there is of the release (X-INST-1). */
async function cleanUp({ request }: Run, { helm, log }: ExtendedDeps): Promise<void> {
  await removeFailed({ request }, { helm }).catch((error: unknown) =>
    log.warn({ release: releaseKey(request.release), error: messageOf(error) }, 'could not remove what a failed install left'),
  );
}

async function removeFailed({ request }: Pick<Run, 'request'>, { helm }: Pick<ExtendedDeps, 'helm'>): Promise<void> {
  const history = await helm.readHistory(request.release);
  if (history.length === 1 && history[0]?.status === 'failed') await helm.uninstall(request);
}

/** Goes back to what was deployed before, if the upgrade got so far as to store a revision (X-RB-1, X-TEST-1, X-RB-4, X-RB-5). */
export async function rollBack(
  sync: Sync,
  run: Pick<Run, 'request'>,
  { deps, before, rule }: Context & { readonly rule: 'X-RB-1' | 'X-TEST-1' },
): Promise<void> {
  const { draft, resource, flush } = sync;
  const { helm, log } = deps;
  const { rollback } = resource.spec;
  if (!rollback.enable) return;
  const to = before.deployed;
  if (to === undefined) return;
  try {
    // Where the history cannot be read, nobody knows whether there is something to undo: that is told, and not taken for "no".
    const newest = (await helm.readHistory(run.request.release)).at(-1)?.revision ?? 0;
    if (newest <= before.after) return;
    draft.phase('RollingBack');
    await flush();
    // Before Helm goes back: the older revision may be the one that it drops then.
    const revision = await readRevisionSource(helm, run.request.release, to).catch(() => undefined); // told as unknown
    await helm.rollback(run.request, to, rollback);
    sync.remediated({ revision, rule });
  } catch (error) {
    if (isInterrupted(error)) throw error; // Helm may have gone back
    draft.phase('RollbackFailed', { message: messageOf(error) });
    log.warn({ release: releaseKey(run.request.release), to, error: messageOf(error) }, 'could not roll back');
    return;
  }
  draft.phase('RolledBack');
  draft.set({ rollbackCount: (draft.number('rollbackCount') ?? 0) + 1 });
  await mark(sync, run, deps);
}

interface TestContext extends Context {
  /** Throws why they may not be run now: then they count as failed by that. */
  readonly mayBegin?: () => Promise<void>;
}

/** Runs the tests of the chart, and puts right what does not pass them (X-TEST-1, X-TEST-2). */
export async function test(sync: Sync, { request }: Pick<Run, 'request'>, context: TestContext): Promise<void> {
  const { draft, resource, flush } = sync;
  const policy = resource.spec.test;
  if (!policy.enable) return;
  draft.phase('Testing');
  await flush();
  try {
    await context.mayBegin?.();
    await context.deps.helm.test(request, policy);
    draft.phase('Tested');
  } catch (thrown) {
    if (isInterrupted(thrown)) throw thrown;
    const error = asTestFailure(thrown);
    draft.phase('TestFailed', { message: messageOf(error), without: policy.ignoreFailures ? ['Released'] : [] });
    if (policy.ignoreFailures) return; // X-TEST-2
    if (context.before.action === 'install') {
      if (!isCutShort(error)) await removeUntested({ request }, context.deps);
    } else await rollBack(sync, { request }, { ...context, rule: 'X-TEST-1' });
    throw reported(error);
  }
}

/** What failed in a test, of which Helm names the pod at most. */
function asTestFailure(error: unknown): unknown {
  return isCutShort(error) ? error : new Error(`the test failed: ${messageOf(error)}`, { cause: error });
}

/** A test that a person cancelled, or that was ended for its memory, says nothing of what was installed. */
function isCutShort(error: unknown): boolean {
  return error instanceof Cancelled || (isAppError(error) && error.code === 'too-large');
}

/** X-TEST-1: what was installed and does not pass its test goes again. */
async function removeUntested({ request }: Pick<Run, 'request'>, { helm, log }: ExtendedDeps): Promise<void> {
  await helm
    .uninstall(request)
    .catch((error: unknown) =>
      log.warn({ release: releaseKey(request.release), error: messageOf(error) }, 'could not remove the release that failed its test'),
    );
}

/** Without a mark the release stands all the same (X-OWN-3). */
export async function mark(
  { resource }: Pick<Sync, 'resource'>,
  { request }: Pick<Run, 'request'>,
  { objects, log }: ExtendedDeps,
): Promise<void> {
  await objects
    .mark(request, resource.mark)
    .catch((error: unknown) =>
      log.warn({ release: releaseKey(request.release), error: messageOf(error) }, 'could not mark the objects of the release'),
    );
}
