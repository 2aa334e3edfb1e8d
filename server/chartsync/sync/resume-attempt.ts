import { readRevisionSource } from '../model/revision-source';
import type { SyncDecision } from './decide-sync';
import { endingAttempt, mark, rollBack, test } from './run-release';
import { statusOfAttemptEnd } from './status/last-attempt';
import type { ExtendedDeps, Outcome, Sync } from './sync';
import type { BeforeAttempt, ReleasePlan } from './sync-observation';

const FAILED_ALONE = 'the upgrade failed after the server that started it had stopped';

/** Tells that Helm went back, for a process that ended before it could (X-RB-1, X-TEST-1). */
export async function reportRolledBack(sync: Sync, { request, newest, last }: ReleasePlan, deps: ExtendedDeps): Promise<void> {
  const { draft, resource, by } = sync;
  const rule = draft.conditionStatus('Deployed') === 'False' ? 'X-RB-1' : 'X-TEST-1';
  const revision = newest && (await readRevisionSource(deps.helm, request.release, newest.revision).catch(() => undefined)); // told as unknown
  // At once, since what is stored is read for it; and not again where only the status could not be written.
  if (!last.isTold) deps.notify({ resource, by, revision, outcome: 'remediated', rule, error: last.failure ?? '' });
  draft.phase('RolledBack');
  draft.set({ rollbackCount: last.rollbackCount, ...statusOfAttemptEnd(last.generation ?? resource.generation) });
  await mark(sync, { request }, deps);
}

/** Goes back from what an attempt left, for a process that ended before Helm could (X-RB-1, X-TEST-1). */
export async function resumeRollback(
  sync: Sync,
  { plan, before, rule }: Omit<Extract<SyncDecision, { readonly kind: 'roll-back' }>, 'kind'>,
  deps: ExtendedDeps,
): Promise<Outcome> {
  const { draft, resource } = sync;
  const { generation = resource.generation, failure } = plan.last;
  if (rule === 'X-RB-1' && draft.conditionStatus('Deployed') !== 'False') draft.phase('DeployFailed', { message: FAILED_ALONE });
  await endingAttempt(sync, generation, () => rollBack(sync, plan, { deps, before, rule }));
  // What is wanted by now may be another generation, which is not attempted with this.
  return { outcome: 'failed', error: failure ?? FAILED_ALONE, isCancelled: false, generation };
}

/** What there was before an attempt whose tests were not run, since its process ended before; undefined where none are to run. */
export function untestedSince(
  { spec }: Pick<Sync['resource'], 'spec'>,
  { newest, last: { left, before } }: Pick<ReleasePlan, 'newest' | 'last'>,
): BeforeAttempt | undefined {
  const isLeft = (left === 'stored' || left === 'first') && before !== undefined && newest?.revision === before.after + 1;
  return spec.test.enable && isLeft ? before : undefined;
}

/** Runs them now, unless a person cancelled that, and puts right what does not pass them (X-TEST-1, X-TEST-2). Throws for what failed. */
export async function resumeTest(
  sync: Sync,
  { request, before }: Pick<ReleasePlan, 'request'> & { readonly before: BeforeAttempt },
  deps: ExtendedDeps,
): Promise<void> {
  const { draft, resource, by } = sync;
  draft.phase('Deployed');
  const mayBegin = () => deps.cancels.requireNotCancelled(resource, { by, chart: request.chart, isGated: deps.gate.isGated(resource) });
  await endingAttempt(sync, resource.generation, () => test(sync, { request }, { deps, before, mayBegin }));
}
