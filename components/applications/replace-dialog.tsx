'use client';

import { useCommand } from '@/components/live/use-command';
import { Button } from '@/components/ui/button';
import { Consequences } from '@/components/ui/data/consequences';
import { Refusal } from '@/components/ui/data/error-panel';
import { Dialog } from '@/components/ui/overlay/dialog';
import { showToast } from '@/components/ui/overlay/toast';
import type { DriftedObject, ObjectDrift, Replacement, ReplaceRequest } from '@/lib/contract/drift-rows';
import type { DriftPlace } from './drift-queries';
import { pathOf } from './drift-queries';

export interface ReplaceDialogProps {
  readonly object: DriftedObject;
  readonly drift: ObjectDrift;
  readonly replacement: Replacement;
  readonly place: DriftPlace;
  /** Why it cannot be replaced now. */
  readonly blocked: string | null;
  readonly onClose: () => void;
}

/** Asks that one object be deleted and made anew: what goes with it stands there before the click. */
export function ReplaceDialog({ object, drift, replacement, place, blocked, onClose }: ReplaceDialogProps) {
  const { apiVersion, kind, ns, name } = object;
  const command = useCommand<ReplaceRequest>(`${pathOf(place)}/replace`, () => {
    showToast(`${kind} ${name} is deleted and made anew; it changes here as soon as the cluster says so.`);
    onClose();
  });
  const { uid, blast } = replacement;
  const replace = () => command.send({ apiVersion, kind, ...(ns === null ? {} : { ns }), name, seen: drift.fields.map(({ path }) => path), uid, blast });
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`Replace ${kind} ${name}`}
      description={`It cannot be changed to what ${drift.revision} wants. ${replacement.why}`}
      footer={
        <>
          <Button size="md" look="ghost" onClick={onClose}>
            Cancel
          </Button>
          <Button size="md" look="danger" blocked={blocked} pending={command.isPending ? 'Deleting…' : null} onClick={replace}>
            Delete and create
          </Button>
        </>
      }
    >
      <Consequences
        sentences={[
          `${kind} ${name} is deleted`,
          ...blast,
          `It is created again as ${drift.revision} wants it, within seconds; until then it is missing`,
          'It is on record that you asked, and what you saw',
        ]}
      />
      {command.refusal ? (
        <div className="mt-3">
          <Refusal sentence={command.refusal} />
        </div>
      ) : null}
    </Dialog>
  );
}
