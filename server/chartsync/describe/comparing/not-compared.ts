import type { Instant } from '@/lib/std/instant';
import { toKubeTime } from '@/lib/std/instant';
import type { ReleaseMessage } from '@/lib/words/release-message';
import { isPulled } from '../../model/declared';
import type { ReleaseObservation } from '../description';
import type { Reconcile } from '../reconcile-history';
import { isInSync } from '../released-at';
import { actOf } from '../status-fields';

/** What keeps every loop from a release; its own state is another matter. */
export function waitOf({ resource, loops, standing }: ReleaseObservation): ReleaseMessage | null {
  if (standing !== null) return { id: 'wait.engine', why: standing };
  if (loops.kind === 'waiting')
    return loops.remedy === null ? { id: 'wait.engine', why: loops.why } : { id: 'wait.remedy', why: loops.why, command: loops.remedy };
  if (loops.kind === 'running' && resource.profile === 'base' && loops.baseWaits !== null)
    return { id: 'wait.engine', why: loops.baseWaits };
  return null;
}

/** Of a gate what it keeps the release from altogether: no commit is approved, or the one that was is gone. */
export function waitForApproval({
  gate,
  resource,
}: ReleaseObservation): { readonly required: number; readonly lost: string | null } | undefined {
  if (gate === undefined || isPulled(resource) || (gate.approved != null && gate.lost == null)) return undefined;
  return { required: gate.required, lost: gate.lost ?? null };
}

/** The last look that found a release as its chart wants it, or made it so; undefined where this process has none. */
export function lastComparison({ reconciles }: Pick<ReleaseObservation, 'reconciles'>): Reconcile | undefined {
  return reconciles.find(({ outcome }) => isInSync(outcome));
}

/** Why what was found of a release last, or stands in its status, may be so no more; undefined while loops compare it, here or in another replica. */
export function notComparedReason(seen: ReleaseObservation): ReleaseMessage | undefined {
  const waits = waitOf(seen);
  if (waits !== null) return waits;
  const { loops } = seen;
  if (loops.kind !== 'running') return undefined;
  const last = lastComparison(seen);
  return last !== undefined && isSince(last, loops.since) ? undefined : { id: 'upgrade.not-looked-at' };
}

/** That a release was in sync, when and at which revision that was known last, and why nobody has compared it since. */
export function wasInSync(seen: ReleaseObservation, told: string | null, why: ReleaseMessage): ReleaseMessage {
  const last = lastComparison(seen);
  const act = actOf(seen.resource);
  const acted = act !== null && act.revision === told ? act.at : null;
  return {
    id: 'state.was-in-sync',
    revision: last?.revision ?? told,
    at: last === undefined ? acted : toKubeTime(last.at),
    why,
  };
}

const isSince = ({ at }: Reconcile, since: Instant) => at >= since;
