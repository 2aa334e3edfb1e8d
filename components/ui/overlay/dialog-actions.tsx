import { t } from '@/lib/words/catalogue/console/ui';
import { Button } from '../button';
import { Refusal } from '../data/error-panel';

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
  /** Why it was not done, or holds no more: told here, where it is in sight however far the dialog is scrolled. */
  readonly refusals: readonly (string | null)[];
  readonly onClose: () => void;
}

/** The foot of every dialog that asks before it acts: the way out, then the act. */
export function DialogActions({ says, look, blocked, pending, act, refusals, onClose }: DialogActionsProps) {
  const own = typeof act === 'function' ? { onClick: act } : ({ type: 'submit', form: act.form } as const);
  return (
    <>
      {refusals.map((sentence) =>
        sentence === null ? null : (
          <div key={sentence} className="max-h-40 w-full overflow-y-auto">
            <Refusal sentence={sentence} />
          </div>
        ),
      )}
      <Button size="md" look="ghost" onClick={onClose}>
        {t.cancel}
      </Button>
      <Button size="md" look={look} blocked={blocked} pending={pending} {...own}>
        {says}
      </Button>
    </>
  );
}
