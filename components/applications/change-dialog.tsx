'use client';

import { useState } from 'react';
import { ConflictingChangeView, readConflictingChange } from '@/components/live/conflicting-change';
import { usePlannedChange } from '@/components/live/use-planned-change';
import { Consequences } from '@/components/ui/data/consequences';
import { PlanSummary } from '@/components/ui/data/plan-summary';
import { TextField } from '@/components/ui/form/field';
import { FormDialog } from '@/components/ui/overlay/form-dialog';
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
  const [values, setValues] = useState({
    image: component.image ?? '',
    replicas: component.replicas === null ? '' : String(component.replicas),
  });
  const change = readChange(component, values);
  const wanted = { component: component.name, ...(change.kind === 'change' ? change.fields : {}), ...seen };
  const { plan, next, pending, failure } = usePlannedChange(
    `/api/v1/namespaces/${application.ns}/applications/${application.name}/change`,
    wanted,
    () => {
      showToast(t.theChangeOfIsMade(component.name));
      onClose();
    },
  );
  const blocked = refusal ?? (change.kind === 'change' ? null : change.sentence);
  const theirs = readConflictingChange(failure);
  return (
    <FormDialog
      title={t.changeOf(component.name)}
      description={t.componentOfIn(application.name, application.ns)}
      says={plan === null ? t.seeWhatItDoes : component.rolledOut ? t.startTheRollout : t.applyExactlyThis}
      look="primary"
      blocked={blocked}
      pending={pending}
      refusals={[failure?.message ?? null]}
      onSubmit={next}
      onClose={onClose}
    >
      <ChangeFields
        component={component}
        values={values}
        onChange={setValues}
        error={change.kind === 'wrong' ? change.sentence : undefined}
      />
      <PlanSummary preview={plan} />
      <Consequences sentences={consequencesOfChange(component)} />
      {theirs ? <ConflictingChangeView theirs={theirs} /> : null}
    </FormDialog>
  );
}

interface ChangeFieldsProps {
  readonly component: ComponentView;
  readonly values: { readonly image: string; readonly replicas: string };
  readonly onChange: (values: ChangeFieldsProps['values']) => void;
  readonly error: string | undefined;
}

function ChangeFields({ component, values, onChange, error }: ChangeFieldsProps) {
  const { image, replicas } = values;
  return (
    <>
      {component.image === null ? null : (
        <TextField
          label={t.image}
          spellCheck={false}
          value={image}
          onChange={(event) => onChange({ ...values, image: event.target.value })}
          hint={t.now(component.image)}
        />
      )}
      {component.replicas === null ? null : (
        <TextField
          label={t.replicas}
          inputMode="numeric"
          value={replicas}
          onChange={(event) => onChange({ ...values, replicas: event.target.value })}
          hint={t.nowOf(component.replicas)}
          error={error}
        />
      )}
    </>
  );
}
