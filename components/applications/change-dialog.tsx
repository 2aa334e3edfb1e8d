'use client';

import { useMutation } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { useId, useState } from 'react';
import { postJson } from '@/components/live/request';
import { useCommand } from '@/components/live/use-command';
import { Button } from '@/components/ui/button';
import { Consequences } from '@/components/ui/data/consequences';
import { Refusal } from '@/components/ui/data/error-panel';
import { TextField } from '@/components/ui/form/field';
import { Dialog } from '@/components/ui/overlay/dialog';
import { showToast } from '@/components/ui/overlay/toast';
import type { ApplicationDetail, ComponentView } from '@/lib/contract/application-rows';
import { savePreview } from '@/lib/contract/change-rows';
import type { ChangeRequest } from '@/lib/contract/requests';
import { consequencesOfChange, readChange } from './component-change';
import { PlanSummary } from './plan-summary';
import { readTheirChange, TheirChangeView } from './their-change';

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
  const { command, preview, plan } = useChange({ application, component, seen, fields: change.kind === 'change' ? change.fields : {}, onClose });
  const blocked = refusal ?? (change.kind === 'change' ? null : change.sentence);
  const failure = command.failure ?? preview.error;
  const theirs = readTheirChange(failure);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (blocked !== null || change.kind !== 'change') return;
    if (plan === null) preview.mutate(change.fields);
    else command.send({ component: component.name, ...change.fields, ...seen, plan: plan.plan });
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`Change ${component.name}`}
      description={`Component of ${application.name} in ${application.ns}`}
      footer={
        <>
          <Button size="md" look="ghost" onClick={onClose}>
            Cancel
          </Button>
          <Button size="md" look="primary" type="submit" form={formId} blocked={blocked} pending={pendingOf(preview.isPending, command.isPending)}>
            {plan === null ? 'See what it does' : component.rolledOut ? 'Start the rollout' : 'Apply exactly this'}
          </Button>
        </>
      }
    >
      <form id={formId} onSubmit={submit} className="space-y-4">
        {component.image === null ? null : (
          <TextField label="Image" spellCheck={false} value={image} onChange={(event) => setImage(event.target.value)} hint={`Now ${component.image}`} />
        )}
        {component.replicas === null ? null : (
          <TextField
            label="Replicas"
            inputMode="numeric"
            value={replicas}
            onChange={(event) => setReplicas(event.target.value)}
            hint={`Now ${component.replicas}`}
            error={change.kind === 'wrong' ? change.sentence : undefined}
          />
        )}
        {plan === null ? null : <PlanSummary preview={plan} />}
        <Consequences sentences={consequencesOfChange(component)} />
        {failure ? <Refusal sentence={failure.message} /> : null}
        {theirs ? <TheirChangeView theirs={theirs} /> : null}
      </form>
    </Dialog>
  );
}

type Fields = Pick<ChangeRequest, 'image' | 'replicas'>;

interface Typed extends Pick<ChangeDialogProps, 'application' | 'component' | 'onClose'> {
  readonly seen: Pick<ChangeRequest, 'uid' | 'generation'>;
  readonly fields: Fields;
}

/** The two steps of a change; a plan counts for what was typed when it was worked out, and for nothing else. */
function useChange({ application: { ns, name }, component, seen, fields, onClose }: Typed) {
  const path = `/api/v1/namespaces/${ns}/applications/${name}/change`;
  const command = useCommand<ChangeRequest>(path, () => {
    showToast(`The change of ${component.name} is made. A new revision follows.`);
    onClose();
  });
  const preview = useMutation({
    mutationFn: async (wanted: Fields) => ({
      wanted: keyOf(wanted),
      preview: await postJson(path, { component: component.name, ...wanted, ...seen, dryRun: true }, savePreview),
    }),
    retry: false,
  });
  const plan = preview.data?.wanted === keyOf(fields) ? preview.data.preview : null;
  return { command, preview, plan };
}

const keyOf = ({ image, replicas }: Fields) => JSON.stringify([image, replicas]);

function pendingOf(isTrying: boolean, isSending: boolean): string | null {
  if (isSending) return 'Sending…';
  return isTrying ? 'Working it out…' : null;
}
