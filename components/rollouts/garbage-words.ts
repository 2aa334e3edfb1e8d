import type { RolloutDetail } from '@/lib/contract/rollout-rows';
import type { GarbageView } from '@/lib/contract/tracker-rows';
import { t } from '@/lib/words/catalogue/delivery/rollouts';

type Counts = Pick<NonNullable<RolloutDetail['garbage']>, 'deleted' | 'held' | 'kept'>;

/** A collection in numbers, by what really happens to what the older revisions have: what is new or gone already is none of it. */
export function countGarbage({ rows }: Pick<GarbageView, 'rows'>): Counts {
  const count = (...verdicts: readonly string[]) => rows.filter(({ verdict }) => verdicts.includes(verdict)).length;
  return { deleted: count('deleted'), held: count('held'), kept: count('kept', 'handed-over') };
}

/** The numbers as one sentence. */
export function describeGarbage({ deleted, held, kept }: Counts): string {
  const parts = [deleted === 0 ? t.nothingIsDeleted : t.deleted(t.objectsAre(deleted))];
  if (held > 0) parts.push(t.heldBack(held, held === 1 ? t.is : t.are));
  if (kept > 0) parts.push(t.keptOrHandedOver(kept, kept === 1 ? t.is : t.are));
  return t.atTheEndOfThe(parts.join(', '));
}
