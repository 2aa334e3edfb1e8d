'use client';

import { useCommand } from '@/components/live/use-command';
import { showToast } from '@/components/ui/overlay/toast';
import type { DriftedObject, ObjectDrift, ObjectDriftField, PutBackRequest } from '@/lib/contract/drift-rows';
import type { DriftPlace } from '../drift-queries';
import { pathOf } from '../drift-queries';
import { ObjectActDialog } from './object-act-dialog';

const NAMED = 12;

export interface PutBackDialogProps {
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
export function PutBackDialog({ object, drift, place, blocked, moved, onClose }: PutBackDialogProps) {
  const { apiVersion, kind, ns, name } = object;
  const command = useCommand<PutBackRequest>(`${pathOf(place)}/put-back`, () => {
    showToast(`${kind} ${name} is being reverted; the page updates once the cluster confirms it.`);
    onClose();
  });
  const put = () => command.send({ apiVersion, kind, ...(ns === null ? {} : { ns }), name, seen: drift.fields.map(({ path }) => path) });
  return (
    <ObjectActDialog
      title={`Put ${kind} ${name} back`}
      description={`To match ${drift.revision}, once. Later changes are left alone again where a policy says so.`}
      consequences={consequencesOf(object, drift)}
      act={{ says: 'Put back now', meanwhile: 'Asking…', look: 'primary' }}
      blocked={blocked}
      moved={moved}
      command={command}
      onAct={put}
      onClose={onClose}
    />
  );
}

function consequencesOf({ kind, name }: DriftedObject, { fields, exists }: ObjectDrift): readonly string[] {
  const more = fields.length - NAMED;
  return [
    ...fields.slice(0, NAMED).map(consequenceOf),
    ...(more > 0 ? [`${more} more ${more === 1 ? 'field is' : 'fields are'} reverted`] : []),
    ...(exists ? [] : [`${kind} ${name} is created again`]),
    'The record keeps that you requested it, and what was reverted',
  ];
}

function consequenceOf({ path, kind, wanted, found, hidden }: ObjectDriftField): string {
  if (hidden !== null) return `${path} is reverted`;
  if (kind === 'added') return `${path} is removed`;
  return found === null ? `${path} becomes ${wanted} again` : `${path} goes from ${found} to ${wanted}`;
}
