import type { DriftedObject, DriftRepair, DriftView, ObjectDrift, ObjectDriftField } from '@/lib/contract/drift-rows';
import { t } from '@/lib/words/catalogue/delivery/drift';
import { formatList } from '@/lib/words/figures';

/** Beside the title: how many objects differ of how many. */
export function countDrift({ state, compared, drifted, left, unknown }: DriftView): string {
  if (state !== 'compared') return '';
  const parts = [
    t.ofObjectsDiffer(drifted, compared),
    ...(left > 0 ? [t.leftByAPolicy(left)] : []),
    ...(unknown > 0 ? [t.notKnown(unknown)] : []),
  ];
  return parts.join(', ');
}

/** How an object stands, in a word or two. */
export const DRIFT_STATE: Readonly<Record<DriftedObject['state'], { readonly word: string; readonly tone: 'warn' | 'bad' | 'idle' }>> = {
  differs: { word: t.differs, tone: 'warn' },
  gone: { word: t.missing, tone: 'bad' },
  left: { word: t.leftAsItIs, tone: 'idle' },
  refused: { word: t.refused, tone: 'bad' },
  terminating: { word: t.terminating, tone: 'warn' },
};

/** How a field differs, in words. */
export const FIELD_KIND: Readonly<Record<ObjectDriftField['kind'], string>> = {
  changed: t.anotherValue,
  removed: t.missing,
  added: t.notInTheRevision,
  reordered: t.inAnotherOrder,
};

/** What a revision that is not applied would do to a field. */
export const FIELD_CHANGE: Readonly<Record<ObjectDriftField['kind'], string>> = {
  changed: t.changed,
  removed: t.added,
  added: t.removed,
  reordered: t.reordered,
};

/** Fields that differ are named in the sentence up to so many; beyond, the list below it is enough. */
const FIELDS_NAMED = 3;

/** What a revision wants of an object, or wanted, in a sentence. */
export function formatDifference({
  exists,
  fields,
  revision,
  isApplied,
}: Pick<ObjectDrift, 'exists' | 'fields' | 'revision' | 'isApplied'>): string {
  if (!exists) return t.itIsPartOfAnd(revision);
  if (isApplied && fields.length === 0) return t.itMatchesAgain(revision);
  if (isApplied) return t.from(fields.length === 1 ? t.oneFieldDiffers : t.fieldsDiffer(fields.length), revision);
  if (fields.length === 0) return t.matches(revision);
  const names = fields.length > FIELDS_NAMED ? '' : `: ${formatList(fields.map(({ path }) => path))}`;
  return t.needsFieldsChanged(fields.length, names);
}

/** That a revision is not applied, and because of how many of its objects. */
export function formatNotApplied(revision: string | null, objects: readonly Pick<DriftedObject, 'state'>[]): string {
  const going = objects.filter(({ state }) => state === 'terminating').length;
  const refused = objects.length - going;
  const reasons = [
    ...(refused > 0 ? [t.theClusterRefusesObjects(refused)] : []),
    ...(going > 0 ? [t.objectsAreStillBeingDeleted(going)] : []),
  ];
  return t.isNotApplied(revision ?? t.theNewestRevision, reasons.length === 0 ? '' : `: ${formatList(reasons)}`);
}

const KEPT: Readonly<Record<'apply-once' | 'read-only', string>> = {
  'apply-once': t.notRevertedAutomaticallyThePolicy,
  'read-only': t.neverRevertedThePolicyRead,
};

/** When a field is put back, or why it never is. */
export function revertTiming(kept: ObjectDriftField['kept'], repair: DriftRepair): string {
  if (kept !== null) return KEPT[kept];
  if (repair.when === 'soon') return t.revertedWithinSeconds;
  return repair.when === 'waits' ? t.notRevertedWhileItWaits : t.notRevertedAutomatically;
}

/** Why nobody needs to, or can, ask that an object be put back; null where a person may. */
export function notRevertibleReason(
  fields: readonly Pick<ObjectDriftField, 'kept'>[],
  exists: boolean,
  repair: DriftRepair,
): string | null {
  if (repair.when === 'waits') return repair.why;
  if (fields.some(({ kept }) => kept === 'read-only')) return KEPT['read-only'];
  if (repair.when === 'soon' && exists && fields.length > 0 && fields.every(({ kept }) => kept === null)) return repair.why;
  if (repair.when === 'soon' && !exists) return repair.why;
  return null;
}
