import type { DriftedObject, DriftRepair, DriftView, ObjectDriftField } from '@/lib/contract/drift-rows';
import { sayCount, sayNumber } from '@/lib/words/figures';

/** Beside the title: how many objects differ of how many. */
export function countDrift({ state, compared, drifted, left, unknown }: DriftView): string {
  if (state !== 'compared') return '';
  const parts = [
    `${sayNumber(drifted)} of ${sayCount(compared, 'object differs', 'objects differ')}`,
    ...(left > 0 ? [`${sayNumber(left)} left by a policy`] : []),
    ...(unknown > 0 ? [`${sayNumber(unknown)} not known`] : []),
  ];
  return parts.join(', ');
}

/** How an object stands, in a word or two. */
export const DRIFT_STATE: Readonly<Record<DriftedObject['state'], { readonly word: string; readonly tone: 'warn' | 'bad' | 'idle' }>> = {
  differs: { word: 'differs', tone: 'warn' },
  gone: { word: 'missing', tone: 'bad' },
  left: { word: 'left as it is', tone: 'idle' },
  refused: { word: 'refused', tone: 'bad' },
};

/** How a field differs, in words. */
export const FIELD_KIND: Readonly<Record<ObjectDriftField['kind'], string>> = {
  changed: 'another value',
  removed: 'missing',
  added: 'not in the revision',
  reordered: 'in another order',
};

const KEPT: Readonly<Record<'apply-once' | 'read-only', string>> = {
  'apply-once': 'Not put back automatically: the policy apply-once leaves it.',
  'read-only': 'Never put back: the policy read-only names this object.',
};

/** When a field is put back, or why it never is. */
export function whenPutBack(kept: ObjectDriftField['kept'], repair: DriftRepair): string {
  if (kept !== null) return KEPT[kept];
  if (repair.when === 'soon') return 'Put back within seconds.';
  return repair.when === 'waits' ? 'Not put back while it waits.' : 'Not put back automatically.';
}

/** Why nobody needs to, or can, ask that an object be put back; null where a person may. */
export function whyNotPutBack(fields: readonly Pick<ObjectDriftField, 'kept'>[], exists: boolean, repair: DriftRepair): string | null {
  if (repair.when === 'waits') return repair.why;
  if (fields.some(({ kept }) => kept === 'read-only')) return KEPT['read-only'];
  if (repair.when === 'soon' && exists && fields.length > 0 && fields.every(({ kept }) => kept === null)) return repair.why;
  if (repair.when === 'soon' && !exists) return repair.why;
  return null;
}
