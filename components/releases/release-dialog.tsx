'use client';

import { useQuery } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { useId, useState } from 'react';
import { useCommand } from '@/components/live/use-command';
import { Consequences } from '@/components/ui/data/consequences';
import { ReasonField } from '@/components/ui/form/reason-field';
import { Dialog } from '@/components/ui/overlay/dialog';
import { DialogActions } from '@/components/ui/overlay/dialog-actions';
import { showToast } from '@/components/ui/overlay/toast';
import type { ReleaseDecisionRequest } from '@/lib/contract/release-decision';
import type { ReleaseAction, ReleaseDetail } from '@/lib/contract/release-rows';
import type { ReleasePlace } from './release-queries';
import { releasePath, releaseQueries } from './release-queries';
import { RollbackChoice } from './rollback-choice';
import { RELEASE_VERB_WORD } from './verb-words';

interface ReleaseDialogProps {
  readonly release: ReleaseDetail;
  readonly place: ReleasePlace;
  /** The act as it was when the dialog was opened. */
  readonly action: ReleaseAction;
  /** Why it cannot be sent any more. */
  readonly blocked: string | null;
  readonly onClose: () => void;
}

/** What exactly an act on a release does, before it is done, and the reason it needs. */
export function ReleaseDialog({ release, place, action, blocked, onClose }: ReleaseDialogProps) {
  const { verb, needsReason, consequences } = action;
  const [reason, setReason] = useState('');
  const [to, setTo] = useState<number | null>(null);
  // What was shown when it was opened is what is sent.
  const [opened] = useState({ uid: release.uid, hold: release.hold?.decision });
  const preview = useQuery({ ...releaseQueries.rollback(place, to ?? 0), enabled: to !== null });
  const word = RELEASE_VERB_WORD[verb];
  const formId = useId();
  const command = useCommand<ReleaseDecisionRequest>(`${releasePath(place)}/decisions`, () => {
    showToast(`${word} for ${place.name} is on record. What comes of it is seen here as soon as chart sync has answered.`);
    onClose();
  });
  const unread = verb === 'rollback' && preview.data === undefined ? 'Choose a revision, and see what going back to it does.' : null;
  const refused = blocked ?? unread;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (refused !== null) return;
    command.send({
      kind: place.kind,
      verb,
      uid: opened.uid,
      ...(reason.trim() === '' ? {} : { reason: reason.trim() }),
      ...(verb === 'rollback' && preview.data ? { revision: preview.data.to, seen: { stored: preview.data.from } } : {}),
      ...(verb === 'lift' && opened.hold ? { seen: { hold: opened.hold } } : {}),
    });
  };
  return (
    <Dialog
      open
      wide={verb === 'rollback'}
      onOpenChange={(open) => !open && onClose()}
      title={`${word}: ${place.name}`}
      description={`Release ${release.release.name} in ${release.release.namespace}`}
      footer={
        <DialogActions
          says={word}
          look={verb === 'rollback' ? 'danger' : 'primary'}
          blocked={refused}
          pending={command.isPending ? 'Sending…' : null}
          act={{ form: formId }}
          refusals={[command.refusal]}
          onClose={onClose}
        />
      }
    >
      <form id={formId} onSubmit={submit} className="space-y-4">
        <Consequences sentences={consequences} />
        {verb === 'rollback' ? <RollbackChoice place={place} chosen={to} onChoose={setTo} preview={preview} /> : null}
        <ReasonField neededFor={needsReason ? word : undefined} value={reason} onChange={setReason} />
      </form>
    </Dialog>
  );
}
