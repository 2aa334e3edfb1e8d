import type { RolloutDetail } from '@/lib/contract/rollout-rows';
import type { GarbageView } from '@/lib/contract/tracker-rows';

type Counts = Pick<NonNullable<RolloutDetail['garbage']>, 'deleted' | 'held' | 'kept'>;

/** A collection in numbers, by what really happens to what the older revisions have: what is new or gone already is none of it. */
export function countGarbage({ rows }: Pick<GarbageView, 'rows'>): Counts {
  const count = (...verdicts: readonly string[]) => rows.filter(({ verdict }) => verdicts.includes(verdict)).length;
  return { deleted: count('deleted'), held: count('held'), kept: count('kept', 'handed-over') };
}

/** The numbers as one sentence. */
export function describeGarbage({ deleted, held, kept }: Counts): string {
  const parts = [deleted === 0 ? 'nothing is deleted' : `${deleted === 1 ? '1 object is' : `${deleted} objects are`} deleted`];
  if (held > 0) parts.push(`${held} ${held === 1 ? 'is' : 'are'} held back`);
  if (kept > 0) parts.push(`${kept} ${kept === 1 ? 'is' : 'are'} kept or handed over`);
  return `At the end of the rollout ${parts.join(', ')}.`;
}
