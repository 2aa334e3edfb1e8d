'use client';

import type { VariantProps } from 'class-variance-authority';
import { cva } from 'class-variance-authority';
import type { ComponentProps, KeyboardEvent, MouseEvent, ReactNode } from 'react';
import { useId, useRef, useState } from 'react';
import { useSentence } from '@/components/ui/time/sentence';
import { cx } from './cx';
import { Tooltip } from './overlay/tooltip';

/** How a button looks, for links that look like one too. */
export const buttonVariants = cva(
  'inline-flex shrink-0 select-none items-center justify-center gap-1.5 whitespace-nowrap rounded-md border font-medium transition-colors duration-100 disabled:pointer-events-none disabled:opacity-50 aria-disabled:cursor-not-allowed aria-disabled:opacity-50',
  {
    variants: {
      look: {
        primary: 'border-transparent bg-accent-fill text-white not-aria-disabled:hover:bg-accent-hover',
        secondary:
          'border-line-strong bg-raised text-ink shadow-panel not-aria-disabled:hover:bg-hover not-aria-disabled:active:bg-pressed',
        ghost:
          'border-transparent text-ink-2 not-aria-disabled:hover:bg-hover not-aria-disabled:hover:text-ink not-aria-disabled:active:bg-pressed',
        danger: 'border-transparent bg-bad-fill text-white not-aria-disabled:hover:brightness-95',
        warning: 'border-line-strong bg-raised text-bad shadow-panel not-aria-disabled:hover:bg-bad-soft',
      },
      size: { sm: 'h-7 px-2.5 text-xs', md: 'h-8 px-3 text-sm', icon: 'size-7 px-0', iconSm: 'size-6 px-0', iconMd: 'size-8 px-0' },
    },
    defaultVariants: { look: 'secondary', size: 'sm' },
  },
);

export interface ButtonProps extends Omit<ComponentProps<'button'>, 'disabled'>, VariantProps<typeof buttonVariants> {
  /** Why it cannot be pressed now. It stays reachable by keyboard, so that the reason can be read. */
  readonly blocked?: string | null | undefined;
  /** The sentence of what is awaited, in place of the label. */
  readonly pending?: ReactNode;
}

/**
 * A button that says why when it may not be pressed. The second click of a double click does nothing where the button says something else by then, nor does a
 * key that is held: whoever asked for a preview has not read it yet.
 */
export function Button({ look, size, blocked, pending, className, children, onClick, onKeyDown, type = 'button', ...rest }: ButtonProps) {
  const reasonId = useId();
  const [explained, setExplained] = useState(false);
  const say = useSentence();
  const isBlocked = blocked !== undefined && blocked !== null;
  const isPending = pending !== undefined && pending !== null && pending !== false;
  const pressed = useRef('');
  const press = (event: MouseEvent<HTMLButtonElement>) => {
    const says = event.currentTarget.textContent ?? '';
    if (event.detail > 1 && says !== pressed.current) return event.preventDefault();
    pressed.current = says;
    if (!isBlocked && !isPending) return onClick?.(event);
    event.preventDefault();
    // A finger neither hovers nor focuses: to press is to ask why.
    setExplained(isBlocked);
  };
  const button = (
    <button
      {...rest}
      type={type}
      className={cx(buttonVariants({ look, size }), className)}
      onClick={press}
      onKeyDown={(event) => {
        ignoreHeldEnter(event);
        onKeyDown?.(event);
      }}
      aria-disabled={isBlocked || isPending || undefined}
      aria-busy={isPending || undefined}
      aria-describedby={isBlocked ? reasonId : rest['aria-describedby']}
    >
      {isPending ? pending : children}
    </button>
  );
  if (blocked === undefined) return button;
  // One that is blocked now and not later stays the same element: it must not lose the focus.
  return (
    <>
      <Tooltip text={blocked} open={isBlocked && explained} onOpenChange={setExplained}>
        {button}
      </Tooltip>
      {isBlocked ? (
        <span id={reasonId} className="sr-only">
          {say(blocked)}
        </span>
      ) : null}
    </>
  );
}

/** Enter that is held submits again and again; only the first time is meant. */
export function ignoreHeldEnter(event: KeyboardEvent): void {
  if (event.repeat && event.key === 'Enter' && !(event.target instanceof HTMLTextAreaElement)) event.preventDefault();
}
