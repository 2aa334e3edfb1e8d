'use client';

import { useCommand } from '@/components/live/use-command';
import { Button } from '@/components/ui/button';
import { Consequences } from '@/components/ui/data/consequences';
import { Refusal } from '@/components/ui/data/error-panel';
import { Dialog } from '@/components/ui/overlay/dialog';
import { showToast } from '@/components/ui/overlay/toast';
import type { DriftedObject, ObjectDrift, ObjectDriftField, PutBackRequest } from '@/lib/contract/drift-rows';
import type { DriftPlace } from './drift-queries';
import { pathOf } from './drift-queries';

const NAMED = 12;

export interface PutBackDialogProps {
  readonly object: DriftedObject;
  readonly drift: ObjectDrift;
  readonly place: DriftPlace;
  /** Why it cannot be put back now. */
  readonly blocked: string | null;
  readonly onClose: () => void;
}

/** Asks that one object be put back: what happens stands there before the click, and nothing else happens. */
export function PutBackDialog({ object, drift, place, blocked, onClose }: PutBackDialogProps) {
  const { apiVersion, kind, ns, name } = object;
  const command = useCommand<PutBackRequest>(`${pathOf(place)}/put-back`, () => {
    showToast(`${kind} ${name} is put back; it changes here as soon as the cluster says so.`);
    onClose();
  });
  const put = () => command.send({ apiVersion, kind, ...(ns === null ? {} : { ns }), name, seen: drift.fields.map(({ path }) => path) });
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`Put ${kind} ${name} back`}
      description={`To what ${drift.revision} wants, once. What the policy leaves is left again afterwards.`}
      footer={
        <>
          <Button size="md" look="ghost" onClick={onClose}>
            Cancel
          </Button>
          <Button size="md" look="primary" blocked={blocked} pending={command.isPending ? 'Asking…' : null} onClick={put}>
            Put back now
          </Button>
        </>
      }
    >
      <Consequences sentences={consequencesOf(object, drift)} />
      {command.refusal ? (
        <div className="mt-3">
          <Refusal sentence={command.refusal} />
        </div>
      ) : null}
    </Dialog>
  );
}

function consequencesOf({ kind, name }: DriftedObject, { fields, exists }: ObjectDrift): readonly string[] {
  const more = fields.length - NAMED;
  return [
    ...fields.slice(0, NAMED).map(consequenceOf),
    ...(more > 0 ? [`${more} more ${more === 1 ? 'field is' : 'fields are'} put back`] : []),
    ...(exists ? [] : [`${kind} ${name} is made again`]),
    'It is on record that you asked, and what was put back',
  ];
}

function consequenceOf({ path, kind, wanted, found, hidden }: ObjectDriftField): string {
  if (hidden !== null) return `${path} is put back`;
  if (kind === 'added') return `${path} is taken away`;
  return found === null ? `${path} becomes ${wanted} again` : `${path} goes from ${found} to ${wanted}`;
}
