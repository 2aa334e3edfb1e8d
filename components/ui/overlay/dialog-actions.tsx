import { Button } from '../button';

export interface DialogActionsProps {
  /** The act, as its button says it. */
  readonly says: string;
  readonly look: 'primary' | 'danger';
  /** Why it cannot be done now. */
  readonly blocked: string | null;
  /** What is awaited once it was pressed, in place of the act's words. */
  readonly pending: string | null;
  /** The form that the act sends, or what it does by itself. */
  readonly act: { readonly form: string } | (() => void);
  readonly onClose: () => void;
}

/** The foot of every dialog that asks before it acts: the way out, then the act. */
export function DialogActions({ says, look, blocked, pending, act, onClose }: DialogActionsProps) {
  const own = typeof act === 'function' ? { onClick: act } : ({ type: 'submit', form: act.form } as const);
  return (
    <>
      <Button size="md" look="ghost" onClick={onClose}>
        Cancel
      </Button>
      <Button size="md" look={look} blocked={blocked} pending={pending} {...own}>
        {says}
      </Button>
    </>
  );
}
