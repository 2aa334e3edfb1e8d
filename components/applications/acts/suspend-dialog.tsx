'use client';

import { useState } from 'react';
import { sendUndo, useCommand } from '@/components/live/use-command';
import { Consequences } from '@/components/ui/data/consequences';
import { ReasonField } from '@/components/ui/form/reason-field';
import { FormDialog } from '@/components/ui/overlay/form-dialog';
import { showToast } from '@/components/ui/overlay/toast';
import type { ApplicationActRequest } from '@/lib/contract/acts/application-acts';
import { reasonOf } from '@/lib/contract/acts/reason-of';
import type { ApplicationDetail } from '@/lib/contract/application-rows';
import { SUSPENDED } from '@/lib/kube/paused-by';
import { t as views } from '@/lib/words/catalogue/console/views';
import { t } from '@/lib/words/catalogue/delivery/acts';

const CONSEQUENCES = {
  suspend: [t.theEngineLeavesIt, t.aRolloutGoesOn, t.deletingWaits, t.resumeUndoesIt],
  resume: [t.theEngineReconcilesIt],
} as const;

const SAID = { suspend: t.isSuspended, resume: t.isResumed } as const;

export interface SuspendDialogProps {
  readonly verb: 'suspend' | 'resume';
  readonly application: Pick<ApplicationDetail, 'ns' | 'name' | 'uid' | 'suspended'>;
  readonly blocked: string | null;
  readonly onClose: () => void;
}

/** Suspends the reconciliation of an application, or resumes it, once what that means was read. */
export function SuspendDialog({ verb, application: { ns, name, uid, suspended }, blocked, onClose }: SuspendDialogProps) {
  const [reason, setReason] = useState('');
  const foreign = verb === 'resume' && suspended !== null && suspended.annotation !== SUSPENDED;
  const path = `/api/v1/namespaces/${ns}/applications/${name}/actions`;
  const command = useCommand<ApplicationActRequest>(path, () => {
    const back = verb === 'suspend' ? 'resume' : 'suspend';
    // The annotation of another program is not ours to write again.
    const undo = foreign
      ? undefined
      : { label: views.undo, run: () => void sendUndo<ApplicationActRequest>(path, { verb: back, uid }, SAID[back](name)) };
    showToast(SAID[verb](name), 'good', undo);
    onClose();
  });
  const says = verb === 'suspend' ? t.suspend : t.resume;
  return (
    <FormDialog
      title={verb === 'suspend' ? t.suspendOf(name) : t.resumeOf(name)}
      description={t.applicationIn(ns)}
      says={says}
      look="primary"
      blocked={blocked}
      pending={command.isPending ? t.sending : null}
      refusals={[command.refusal]}
      onSubmit={() => command.send({ verb, uid, ...reasonOf(reason) })}
      onClose={onClose}
    >
      <Consequences sentences={foreign ? [t.itsAnnotationIsRemoved(suspended.annotation), ...CONSEQUENCES.resume] : CONSEQUENCES[verb]} />
      <ReasonField neededFor={undefined} value={reason} onChange={setReason} />
    </FormDialog>
  );
}
