'use client';

import { useState } from 'react';
import { useCommand } from '@/components/live/use-command';
import { asSentence } from '@/components/ui/as-sentence';
import { Consequences } from '@/components/ui/data/consequences';
import type { QueryLike } from '@/components/ui/data/query-view';
import { ReasonField } from '@/components/ui/form/reason-field';
import { FormDialog } from '@/components/ui/overlay/form-dialog';
import { showToast } from '@/components/ui/overlay/toast';
import { messageOf } from '@/lib/contract/app-error';
import type { ApplicationDetail } from '@/lib/contract/application-rows';
import type { WaitingPage } from '@/lib/contract/change-rows';
import { t } from '@/lib/words/catalogue/delivery/changes';
import type { HeldDecision } from './held-decision';
import { consequencesOfHeld, toHeldDecision } from './held-decision';

export interface HeldDialogProps {
  readonly application: Pick<ApplicationDetail, 'ns' | 'name' | 'uid'>;
  /** The plan as it was when the dialog was opened: what is shown is what is sent. */
  readonly plan: WaitingPage;
  /** How the plan is read: as it is now, or why that is not known. */
  readonly reading: Pick<QueryLike<WaitingPage>, 'data' | 'error'>;
  /** Why nothing can be decided now. */
  readonly blocked: string | null;
  readonly onClose: () => void;
}

/** Lets exactly one plan of deletions be carried out, on record with a reason. */
export function HeldDialog({ application, plan, reading, blocked, onClose }: HeldDialogProps) {
  const [reason, setReason] = useState('');
  const { count, objects } = plan.decision;
  const command = useCommand<HeldDecision>(`/api/v1/namespaces/${application.ns}/applications/${application.name}/decisions`, () => {
    showToast(t.theDecisionAboutIsOn(application.name));
    onClose();
  });
  const unread = explainUnread(reading);
  const moved = reading.data === undefined || reading.data.digest === plan.digest ? null : t.thePlanHasChangedSince;
  const refused = moved ?? blocked ?? unread;
  return (
    <FormDialog
      title={t.deleteOf(t.objects(count), application.name)}
      description={t.ifThePlanChangesBefore}
      says={t.delete}
      look="danger"
      blocked={refused}
      pending={command.isPending ? t.sending : null}
      refusals={[moved, reading.data === undefined && reading.error ? unread : null, command.refusal]}
      onSubmit={() => command.send(toHeldDecision(application.uid, plan, reason))}
      onClose={onClose}
    >
      <Consequences sentences={consequencesOfHeld(plan)} />
      {objects.length > 0 ? (
        <section aria-label={t.namedBecauseASafetyRule}>
          <h3 className="mb-1 font-medium text-ink-3 text-xs">{t.namedBecauseASafetyRule}</h3>
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
    </FormDialog>
  );
}

/** Why nobody knows whether the plan still holds; null while it is known. */
function explainUnread({ data, error }: HeldDialogProps['reading']): string | null {
  if (data !== undefined) return null;
  return error ? t.thePlanCouldNotBeRead(asSentence(messageOf(error))) : t.thePlanIsBeingRead;
}
