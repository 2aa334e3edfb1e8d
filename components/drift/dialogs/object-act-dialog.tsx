'use client';

import { Consequences } from '@/components/ui/data/consequences';
import { Dialog } from '@/components/ui/overlay/dialog';
import { DialogActions } from '@/components/ui/overlay/dialog-actions';

export interface ObjectActDialogProps {
  readonly title: string;
  readonly description: string;
  /** What happens, a sentence each. */
  readonly consequences: readonly string[];
  /** The button: what it says, what it says meanwhile, and how it looks. */
  readonly act: { readonly says: string; readonly meanwhile: string; readonly look: 'primary' | 'danger' };
  /** Why it cannot be done now. */
  readonly blocked: string | null;
  /** Why what is shown holds no more; null while it does. */
  readonly moved: string | null;
  readonly command: { readonly isPending: boolean; readonly refusal: string | null };
  readonly onAct: () => void;
  readonly onClose: () => void;
}

/** Asks before something is done to one object: what happens stands there before the click, and nothing else happens. */
export function ObjectActDialog({ title, description, consequences, act, blocked, moved, command, onAct, onClose }: ObjectActDialogProps) {
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={title}
      description={description}
      footer={
        <DialogActions
          says={act.says}
          look={act.look}
          blocked={moved ?? blocked}
          pending={command.isPending ? act.meanwhile : null}
          act={onAct}
          refusals={[moved, command.refusal]}
          onClose={onClose}
        />
      }
    >
      <Consequences sentences={consequences} />
    </Dialog>
  );
}
