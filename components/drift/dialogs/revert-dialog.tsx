'use client';

import { useCommand } from '@/components/live/use-command';
import { showToast } from '@/components/ui/overlay/toast';
import type { DriftedObject, ObjectDrift, ObjectDriftField, RevertRequest } from '@/lib/contract/drift-rows';
import { t } from '@/lib/words/catalogue/delivery/drift';
import type { DriftPlace } from '../drift-queries';
import { pathOf, seenOf } from '../drift-queries';
import { ObjectActDialog } from './object-act-dialog';

const NAMED = 12;

export interface RevertDialogProps {
  readonly object: DriftedObject;
  /** As it was when the dialog was opened: what is shown is what is sent. */
  readonly drift: ObjectDrift;
  readonly place: DriftPlace;
  /** Why it cannot be put back now. */
  readonly blocked: string | null;
  /** Why what is shown holds no more; null while it does. */
  readonly moved: string | null;
  readonly onClose: () => void;
}

/** Asks that one object be put back: what happens stands there before the click, and nothing else happens. */
export function RevertDialog({ object, drift, place, blocked, moved, onClose }: RevertDialogProps) {
  const { kind, name } = object;
  const command = useCommand<RevertRequest>(`${pathOf(place)}/revert`, () => {
    showToast(t.isBeingRevertedThePage(kind, name));
    onClose();
  });
  return (
    <ObjectActDialog
      title={t.putBack(kind, name)}
      description={t.toMatchOnceLaterChanges(drift.revision)}
      consequences={consequencesOf(object, drift)}
      act={{ says: t.putBackNow, meanwhile: t.asking, look: 'primary' }}
      blocked={blocked}
      moved={moved}
      command={command}
      onAct={() => command.send(seenOf(object, drift))}
      onClose={onClose}
    />
  );
}

function consequencesOf({ kind, name }: DriftedObject, { fields, exists }: ObjectDrift): readonly string[] {
  const more = fields.length - NAMED;
  return [
    ...fields.slice(0, NAMED).map(consequenceOf),
    ...(more > 0 ? [t.moreReverted(more, more === 1 ? t.fieldIs : t.fieldsAre)] : []),
    ...(exists ? [] : [t.isCreatedAgain(kind, name)]),
    t.theRecordKeepsThatYou,
  ];
}

function consequenceOf({ path, kind, desired, live, hidden }: ObjectDriftField): string {
  if (hidden !== null) return t.isReverted(path);
  if (kind === 'added') return t.isRemoved(path);
  return live === null ? t.becomesAgain(path, desired) : t.goesFromTo(path, live, desired);
}
