'use client';

import type { FormEvent } from 'react';
import { useId, useState } from 'react';
import { readTheirChange, TheirChangeView } from '@/components/live/their-change';
import { usePreviewed } from '@/components/live/use-previewed';
import { Consequences } from '@/components/ui/data/consequences';
import { PlanSummary } from '@/components/ui/data/plan-summary';
import { TextField } from '@/components/ui/form/field';
import { Dialog } from '@/components/ui/overlay/dialog';
import { DialogActions } from '@/components/ui/overlay/dialog-actions';
import { showToast } from '@/components/ui/overlay/toast';
import type { ApplicationDetail, ComponentView } from '@/lib/contract/application-rows';
import { t } from '@/lib/words/catalogue/delivery/applications';
import { consequencesOfChange, readChange } from './component-change';

export interface ChangeDialogProps {
  readonly application: Pick<ApplicationDetail, 'ns' | 'name' | 'uid' | 'generation'>;
  readonly component: ComponentView;
  /** Why nothing can be changed now. */
  readonly refusal: string | null;
  readonly onClose: () => void;
}

/** A change of one component's image or scale: first what it does, object by object, then exactly that. It is made on the application as it was seen. */
export function ChangeDialog({ application, component, refusal, onClose }: ChangeDialogProps) {
  const [seen] = useState({ uid: application.uid, generation: application.generation });
  const [image, setImage] = useState(component.image ?? '');
  const [replicas, setReplicas] = useState(component.replicas === null ? '' : String(component.replicas));
  const formId = useId();
  const change = readChange(component, { image, replicas });
  const wanted = { component: component.name, ...(change.kind === 'change' ? change.fields : {}), ...seen };
  const { plan, next, pending, failure } = usePreviewed(`/api/v1/namespaces/${application.ns}/applications/${application.name}/change`, wanted, () => {
    showToast(t.theChangeOfIsMade(component.name));
    onClose();
  });
  const blocked = refusal ?? (change.kind === 'change' ? null : change.sentence);
  const theirs = readTheirChange(failure);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (blocked === null) next();
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={t.changeOf(component.name)}
      description={t.componentOfIn(application.name, application.ns)}
      footer={
        <DialogActions
          says={plan === null ? t.seeWhatItDoes : component.rolledOut ? t.startTheRollout : t.applyExactlyThis}
          look="primary"
          blocked={blocked}
          pending={pending}
          act={{ form: formId }}
          refusals={[failure?.message ?? null]}
          onClose={onClose}
        />
      }
    >
      <form id={formId} onSubmit={submit} className="space-y-4">
        {component.image === null ? null : (
          <TextField label={t.image} spellCheck={false} value={image} onChange={(event) => setImage(event.target.value)} hint={t.now(component.image)} />
        )}
        {component.replicas === null ? null : (
          <TextField
            label={t.replicas}
            inputMode="numeric"
            value={replicas}
            onChange={(event) => setReplicas(event.target.value)}
            hint={t.nowOf(component.replicas)}
            error={change.kind === 'wrong' ? change.sentence : undefined}
          />
        )}
        {plan === null ? null : <PlanSummary preview={plan} />}
        <Consequences sentences={consequencesOfChange(component)} />
        {theirs ? <TheirChangeView theirs={theirs} /> : null}
      </form>
    </Dialog>
  );
}
