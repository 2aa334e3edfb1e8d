'use client';

import { useState } from 'react';
import { useCommand } from '@/components/live/use-command';
import { Consequences } from '@/components/ui/data/consequences';
import { ReasonField } from '@/components/ui/form/reason-field';
import { FormDialog } from '@/components/ui/overlay/form-dialog';
import { showToast } from '@/components/ui/overlay/toast';
import type { ApplicationDetail } from '@/lib/contract/application-rows';
import type { WaitingPage } from '@/lib/contract/change-rows';
import { t } from '@/lib/words/catalogue/delivery/changes';
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
  const { count, objects } = plan.decision;
  const command = useCommand<HeldDecision>(`/api/v1/namespaces/${application.ns}/applications/${application.name}/decisions`, () => {
    showToast(t.theDecisionAboutIsOn(application.name));
    onClose();
  });
  const moved = current === undefined || current.digest === plan.digest ? null : t.thePlanHasChangedSince;
  const unread = current === undefined ? t.thePlanIsBeingRead : null;
  const refused = moved ?? blocked ?? unread;
  return (
    <FormDialog
      title={t.deleteOf(t.objects(count), application.name)}
      description={t.ifThePlanChangesBefore}
      says={t.delete}
      look="danger"
      blocked={refused}
      pending={command.isPending ? t.sending : null}
      refusals={[moved, command.refusal]}
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
