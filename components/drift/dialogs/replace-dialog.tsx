'use client';

import { useCommand } from '@/components/live/use-command';
import { asSentence } from '@/components/ui/as-sentence';
import { showToast } from '@/components/ui/overlay/toast';
import type { DriftedObject, ObjectDrift, Replacement, ReplaceRequest } from '@/lib/contract/drift-rows';
import { t } from '@/lib/words/catalogue/delivery/drift';
import { formatList } from '@/lib/words/figures';
import type { DriftPlace } from '../drift-queries';
import { pathOf, seenOf } from '../drift-queries';
import { ObjectActDialog } from './object-act-dialog';

export interface ReplaceDialogProps {
  readonly object: DriftedObject;
  /** As it was when the dialog was opened: what is shown is what is sent. */
  readonly drift: ObjectDrift;
  readonly replacement: Replacement;
  readonly place: DriftPlace;
  /** Why it cannot be replaced now. */
  readonly blocked: string | null;
  /** Why what is shown holds no more; null while it does. */
  readonly moved: string | null;
  readonly onClose: () => void;
}

/** Asks that one object be deleted and made anew: what goes with it stands there before the click. */
export function ReplaceDialog({ object, drift, replacement, place, blocked, moved, onClose }: ReplaceDialogProps) {
  const { kind, name } = object;
  const command = useCommand<ReplaceRequest>(`${pathOf(place)}/replace`, () => {
    showToast(t.isBeingReplacedThePage(kind, name));
    onClose();
  });
  const { uid, blast, waitsFor } = replacement;
  return (
    <ObjectActDialog
      title={t.replaceOf(kind, name)}
      description={t.itCannotBeChangedTo(drift.revision, asSentence(replacement.why))}
      consequences={[t.isDeleted(kind, name), ...blast.map(formatBlast), whenBack(drift.revision, replacement), t.itIsOnRecordThat]}
      act={{ says: t.deleteAndCreate, meanwhile: t.deleting, look: 'danger' }}
      blocked={blocked}
      moved={moved}
      command={command}
      onAct={() => command.send({ ...seenOf(object, drift), uid, blast, waitsFor })}
      onClose={onClose}
    />
  );
}

function whenBack(revision: string, { blast, waitsFor }: Replacement): string {
  const isHeld = blast.some((one) => one.startsWith('held '));
  if (waitsFor.length === 0) return t.itIsCreatedAgainAs(revision, isHeld ? t.onceItIsGone : t.withinSecondsUntilThenIt);
  return t.itStaysMissingUntilReplaced(formatList(waitsFor), waitsFor.length === 1 ? t.is : t.are, revision);
}

/** Beneath the object these words want no subject; here they stand by themselves. */
function formatBlast(blast: string): string {
  const whole = blast.replace(/^(takes|leaves|deletes) /, t.it1).replace(/^(held|used) /, t.itIs1);
  return `${whole.charAt(0).toUpperCase()}${whole.slice(1)}`;
}
