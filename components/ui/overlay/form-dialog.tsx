'use client';

import type { FormEvent } from 'react';
import { useId } from 'react';
import { ignoreHeldEnter } from '@/components/ui/button';
import type { DialogProps } from './dialog';
import { Dialog } from './dialog';
import type { DialogActionsProps } from './dialog-actions';
import { DialogActions } from './dialog-actions';

export interface FormDialogProps
  extends Pick<DialogProps, 'title' | 'description' | 'wide' | 'children'>,
    Pick<DialogActionsProps, 'says' | 'look' | 'blocked' | 'pending' | 'refusals' | 'onClose'> {
  /** Sends what is asked for; never called while that is blocked or on its way, by Enter neither. */
  readonly onSubmit: () => void;
}

/** A dialog that says what an act does, and asks for what it needs, before it is done. */
export function FormDialog({ title, description, wide = false, children, onSubmit, ...actions }: FormDialogProps) {
  const formId = useId();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (actions.blocked === null && actions.pending === null) onSubmit();
  };
  return (
    <Dialog
      open
      wide={wide}
      onOpenChange={(open) => !open && actions.onClose()}
      title={title}
      description={description}
      footer={<DialogActions {...actions} act={{ form: formId }} />}
    >
      <form id={formId} onSubmit={submit} onKeyDown={ignoreHeldEnter} className="space-y-4">
        {children}
      </form>
    </Dialog>
  );
}
