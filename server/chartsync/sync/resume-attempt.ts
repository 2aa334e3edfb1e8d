import type { RevisionEntry } from '../model/release';
import { readRevisionSource } from '../model/revision-source';
import { endingAttempt, mark, rollBack, test } from './run-release';
import { statusOfAttemptEnd } from './status/last-attempt';
import type { ExtendedDeps, Outcome, Sync } from './sync';
import type { ReleasePlan } from './sync-observation';

const FAILED_ALONE = 'the upgrade failed after the server that began it had ended';

/** Tells that Helm went back, for a process that ended before it could (X-RB-1, X-TEST-1). */
export async function reportRolledBack(sync: Sync, { request, newest, last }: ReleasePlan, deps: ExtendedDeps): Promise<void> {
  const { draft, resource, by } = sync;
  const rule = draft.conditionStatus('Deployed') === 'False' ? 'X-RB-1' : 'X-TEST-1';
  const revision = newest && (await readRevisionSource(deps.helm, request.release, newest.revision).catch(() => undefined)); // told as unknown
  // At once, since what is stored is read for it.
  deps.notify({ resource, by, revision, outcome: 'remediated', rule, error: last.failure ?? '' });
  draft.phase('RolledBack');
  draft.set({ rollbackCount: last.rollbackCount, ...statusOfAttemptEnd(last.generation ?? resource.generation) });
  await mark(sync, { request }, deps);
}

/** Goes back from what an attempt left, for a process that ended before Helm could (X-RB-1, X-TEST-1). */
export async function resumeRollback(
  sync: Sync,
  { plan, rule }: { readonly plan: ReleasePlan; readonly rule: 'X-RB-1' | 'X-TEST-1' },
  deps: ExtendedDeps,
): Promise<Outcome> {
  const { draft, resource } = sync;
  const { generation = resource.generation, failure } = plan.last;
  if (rule === 'X-RB-1' && draft.conditionStatus('Deployed') !== 'False') draft.phase('DeployFailed', { message: FAILED_ALONE });
  const before = await readBefore(plan, deps);
  await endingAttempt(sync, generation, () => rollBack(sync, plan, { deps, before, rule }));
  // What is wanted by now may be another generation, which is not attempted with this.
  return { outcome: 'failed', error: failure ?? FAILED_ALONE, isCancelled: false, generation };
}

/** Whether the tests of what an attempt released were not run, since its process ended before. */
export function isUntested({ spec }: Pick<Sync['resource'], 'spec'>, { newest, last }: Pick<ReleasePlan, 'newest' | 'last'>): boolean {
  const isLeft = last.left === 'stored' || last.left === 'first';
  return spec.test.enable && isLeft && last.after !== undefined && newest?.revision === last.after + 1;
}

/** Runs them now, and puts right what does not pass them (X-TEST-1, X-TEST-2). Throws for what failed. */
export async function resumeTest(sync: Sync, plan: ReleasePlan, deps: ExtendedDeps): Promise<void> {
  const { draft, resource } = sync;
  draft.phase('Deployed');
  const before = await readBefore(plan, deps);
  const last = before.at(-1);
  const action = last === undefined || last.status === 'uninstalled' ? 'install' : 'upgrade';
  await endingAttempt(sync, resource.generation, () => test(sync, { request: plan.request, action }, { deps, before }));
}

/** The history before an attempt, as it was then: what was deployed is superseded once another revision is. */
async function readBefore({ request, last }: ReleasePlan, { helm }: Pick<ExtendedDeps, 'helm'>): Promise<readonly RevisionEntry[]> {
  const history = await helm.readHistory(request.release);
  const before = history.filter(({ revision }) => revision <= (last.after ?? 0));
  if (before.some(({ status }) => status === 'deployed')) return before;
  const deployed = before.findLast(({ status }) => status === 'superseded');
  return before.map((entry) => (entry === deployed ? { ...entry, status: 'deployed' } : entry));
}
