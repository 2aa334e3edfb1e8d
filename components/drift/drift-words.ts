import type { DriftedObject, DriftRepair, DriftView, ObjectDrift, ObjectDriftField } from '@/lib/contract/drift-rows';
import { sayCount, sayList, sayNumber } from '@/lib/words/figures';

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
  terminating: { word: 'terminating', tone: 'warn' },
};

/** How a field differs, in words. */
export const FIELD_KIND: Readonly<Record<ObjectDriftField['kind'], string>> = {
  changed: 'another value',
  removed: 'missing',
  added: 'not in the revision',
  reordered: 'in another order',
};

/** What a revision that is not applied would do to a field. */
export const FIELD_CHANGE: Readonly<Record<ObjectDriftField['kind'], string>> = {
  changed: 'changed',
  removed: 'added',
  added: 'removed',
  reordered: 'reordered',
};

/** Fields that differ are named in the sentence up to so many; beyond, the list below it is enough. */
const FIELDS_NAMED = 3;

/** What a revision wants of an object, or wanted, in a sentence. */
export function sayDifference({ exists, fields, revision, isApplied }: Pick<ObjectDrift, 'exists' | 'fields' | 'revision' | 'isApplied'>): string {
  if (!exists) return `It is part of ${revision} and not in the cluster.`;
  if (isApplied && fields.length === 0) return `It matches ${revision} again.`;
  if (isApplied) return `${fields.length === 1 ? 'One field differs' : `${fields.length} fields differ`} from ${revision}.`;
  if (fields.length === 0) return `Matches ${revision}.`;
  const names = fields.length > FIELDS_NAMED ? '' : `: ${sayList(fields.map(({ path }) => path))}`;
  return `Needs ${sayCount(fields.length, 'field')} changed${names}.`;
}

/** That a revision is not applied, and because of how many of its objects. */
export function sayNotApplied(revision: string | null, objects: readonly Pick<DriftedObject, 'state'>[]): string {
  const going = objects.filter(({ state }) => state === 'terminating').length;
  const refused = objects.length - going;
  const reasons = [
    ...(refused > 0 ? [`the cluster refuses ${sayCount(refused, 'object')}`] : []),
    ...(going > 0 ? [`${sayCount(going, 'object is', 'objects are')} still being deleted`] : []),
  ];
  return `${revision ?? 'The newest revision'} is not applied${reasons.length === 0 ? '' : `: ${sayList(reasons)}`}.`;
}

const KEPT: Readonly<Record<'apply-once' | 'read-only', string>> = {
  'apply-once': 'Not reverted automatically: the policy apply-once leaves it.',
  'read-only': 'Never reverted: the policy read-only names this object.',
};

/** When a field is put back, or why it never is. */
export function whenPutBack(kept: ObjectDriftField['kept'], repair: DriftRepair): string {
  if (kept !== null) return KEPT[kept];
  if (repair.when === 'soon') return 'Reverted within seconds.';
  return repair.when === 'waits' ? 'Not reverted while it waits.' : 'Not reverted automatically.';
}

/** Why nobody needs to, or can, ask that an object be put back; null where a person may. */
export function whyNotPutBack(fields: readonly Pick<ObjectDriftField, 'kept'>[], exists: boolean, repair: DriftRepair): string | null {
  if (repair.when === 'waits') return repair.why;
  if (fields.some(({ kept }) => kept === 'read-only')) return KEPT['read-only'];
  if (repair.when === 'soon' && exists && fields.length > 0 && fields.every(({ kept }) => kept === null)) return repair.why;
  if (repair.when === 'soon' && !exists) return repair.why;
  return null;
}
