import type { Commit } from '../ports';
import type { ReleaseObservation } from './description';
import type { Look } from './loop-journal';
import { actOf, attemptedOf } from './told-in-status';

/** Looks that attempt nothing. */
const IDLE: readonly Look['outcome'][] = ['held', 'gated', 'waits', 'dropped', 'plan-moved'];

/** The commit or chart version that is released or was attempted last: a look that attempted nothing says nothing of it. */
export function revisionOf({ resource, looks: [newest] }: ReleaseObservation): string | undefined {
  return (newest === undefined || isIdle(newest.outcome) ? undefined : newest.revision) ?? attemptedOf(resource);
}

/** The commit of the chart at that revision; what was attempted and failed is at one that is not released. */
export function commitOf({ resource, looks: [newest] }: ReleaseObservation): Commit | null {
  const act = actOf(resource);
  if (newest !== undefined && !isIdle(newest.outcome)) return isInSync(newest.outcome) ? (act?.commit ?? null) : null;
  return (act?.revision ?? undefined) === attemptedOf(resource) ? (act?.commit ?? null) : null;
}

const isIdle = (outcome: Look['outcome']) => IDLE.includes(outcome);

const IN_SYNC = ['equal', 'unmoved', 'installed', 'upgraded', 'rolled-back', 'put-back'] as const;

/** Whether a look found the release as its chart wants it, or made it so. */
export function isInSync(outcome: Look['outcome']): outcome is (typeof IN_SYNC)[number] {
  return IN_SYNC.some((one) => one === outcome);
}
