'use client';

import type { FormEvent } from 'react';
import { useId, useState } from 'react';
import { useCommand } from '@/components/live/use-command';
import { Consequences } from '@/components/ui/data/consequences';
import { ReasonField } from '@/components/ui/form/reason-field';
import { Dialog } from '@/components/ui/overlay/dialog';
import { DialogActions } from '@/components/ui/overlay/dialog-actions';
import { showToast } from '@/components/ui/overlay/toast';
import type { ApplicationDetail } from '@/lib/contract/application-rows';
import type { WaitingPage } from '@/lib/contract/change-rows';
import type { HeldDecision } from './held-decision';
import { consequencesOfHeld, toHeldDecision } from './held-decision';

export interface HeldDialogProps {
  readonly application: Pick<ApplicationDetail, 'ns' | 'name' | 'uid'>;
  /** The plan as it was when the dialog was opened: what is shown is what is sent. */
  readonly plan: WaitingPage;
  /** The plan as it is now; undefined while it is read again. */
  readonly current: WaitingPage | undefined;
  /** Why nothing can be decided now. */
  readonly blocked: string | null;
  readonly onClose: () => void;
}

/** Lets exactly one plan of deletions be carried out, on record with a reason. */
export function HeldDialog({ application, plan, current, blocked, onClose }: HeldDialogProps) {
  const [reason, setReason] = useState('');
  const formId = useId();
  const { count, objects } = plan.decision;
  const command = useCommand<HeldDecision>(`/api/v1/namespaces/${application.ns}/applications/${application.name}/decisions`, () => {
    showToast(`The decision about ${application.name} is on record. The engine compares the plan again before it deletes anything.`);
    onClose();
  });
  const moved = current === undefined || current.digest === plan.digest ? null : 'The plan has changed since this was opened. Close it and open it again.';
  const unread = current === undefined ? 'The plan is being read again.' : null;
  const refused = moved ?? blocked ?? unread;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (refused === null) command.send(toHeldDecision(application.uid, plan, reason));
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`Delete ${count === 1 ? 'one object' : `${count} objects`} of ${application.name}`}
      description="If the plan changes before they are deleted, nothing is deleted and a new decision is needed."
      footer={
        <DialogActions
          says="Delete"
          look="danger"
          blocked={refused}
          pending={command.isPending ? 'Sending…' : null}
          act={{ form: formId }}
          refusals={[moved, command.refusal]}
          onClose={onClose}
        />
      }
    >
      <form id={formId} onSubmit={submit} className="space-y-4">
        <Consequences sentences={consequencesOfHeld(plan)} />
        {objects.length > 0 ? (
          <section aria-label="Named because a safety rule holds them">
            <h3 className="mb-1 font-medium text-ink-3 text-xs">Named because a safety rule holds them</h3>
            <ul className="max-h-40 overflow-y-auto rounded-md border px-3 py-1.5">
              {objects.map((object) => (
                <li key={object} className="break-all">
                  {object}
                </li>
              ))}
            </ul>
          </section>
        ) : null}
        <ReasonField value={reason} onChange={setReason} />
      </form>
    </Dialog>
  );
}
