import type { ComponentProps, ReactNode } from 'react';
import { useId } from 'react';
import { Sentence } from '@/components/ui/time/sentence';
import { cx } from '../cx';
import { DROP_DOWN, DropDownMark } from './drop-down';

const BOX =
  'w-full rounded-md border border-line-strong bg-panel px-2.5 text-ink text-sm placeholder:text-ink-3 focus-visible:outline-offset-0';

export interface FieldProps {
  readonly label: ReactNode;
  readonly hint?: ReactNode;
  readonly error?: ReactNode;
}

/** A line of text with its label, a hint, and what is wrong with it. */
export function TextField({ label, hint, error, className, ...rest }: FieldProps & ComponentProps<'input'>) {
  const id = useId();
  return (
    <FieldFrame id={id} label={label} hint={hint} error={error}>
      <input
        {...rest}
        id={id}
        className={cx(BOX, 'h-8', className)}
        aria-invalid={error ? true : undefined}
        aria-describedby={`${id}-note`}
      />
    </FieldFrame>
  );
}

/** Several lines of text with their label. */
export function TextArea({ label, hint, error, className, ...rest }: FieldProps & ComponentProps<'textarea'>) {
  const id = useId();
  return (
    <FieldFrame id={id} label={label} hint={hint} error={error}>
      <textarea
        rows={3}
        {...rest}
        id={id}
        className={cx(BOX, 'block py-1.5', className)}
        aria-invalid={error ? true : undefined}
        aria-describedby={`${id}-note`}
      />
    </FieldFrame>
  );
}

function FieldFrame({ id, label, hint, error, children }: FieldProps & { readonly id: string; readonly children: ReactNode }) {
  return (
    <div>
      <label htmlFor={id} className="mb-1 block font-medium text-ink-2 text-xs">
        {label}
      </label>
      {children}
      <p id={`${id}-note`} className={cx('mt-1 text-xs empty:hidden', error ? 'text-bad' : 'text-ink-3')}>
        {typeof error === 'string' ? <Sentence text={error} /> : (error ?? hint)}
      </p>
    </div>
  );
}

/** One of a few: the platform's own, so that it is had by keyboard, by finger and by a screen reader as everywhere, in the look of our menus where the browser can. */
export function SelectBox({ label, className, ...rest }: { readonly label: string } & ComponentProps<'select'>) {
  return (
    <span className={cx('relative inline-flex h-7 min-w-0 print:hidden', className)}>
      <select aria-label={label} {...rest} className={cx(DROP_DOWN, 'drop-down h-full min-w-0 flex-1 truncate disabled:opacity-50')} />
      <DropDownMark />
    </span>
  );
}
