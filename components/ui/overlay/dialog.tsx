'use client';

import { X } from 'lucide-react';
import { Dialog as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import { useState } from 'react';
import { Sentence } from '@/components/ui/time/sentence';
import { t } from '@/lib/words/catalogue/console/ui';
import { cx } from '../cx';
import { focusAt, readFocusPlace } from './focus-place';

export interface DialogProps {
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  readonly title: ReactNode;
  readonly description?: ReactNode;
  readonly wide?: boolean;
  readonly footer?: ReactNode;
  readonly children: ReactNode;
}

/** Gives the focus back to what opened a dialog, or to what that stood in; ours open from state and not from a trigger, so their library knows of none. */
function useFocusReturn(): (event: Event) => void {
  const [opener] = useState(readFocusPlace);
  return (event) => {
    event.preventDefault();
    focusAt(opener);
  };
}

/**
 * The focus goes to what asks for it by `data-autofocus`, else to the title: what the dialog says is read from its beginning, and Enter presses nothing
 * yet. The library would take the first button, which closes it.
 */
function giveFocus(event: Event): void {
  if (!(event.currentTarget instanceof HTMLElement)) return;
  event.preventDefault();
  const content = event.currentTarget;
  const asked = content.querySelector<HTMLElement>('[data-autofocus]') ?? content.querySelector<HTMLElement>('[data-title]');
  asked?.focus({ preventScroll: true });
}

/** A modal dialog: it keeps the focus, closes on Escape and gives the focus back. */
export function Dialog({ open, onOpenChange, title, description, wide = false, footer, children }: DialogProps) {
  const giveFocusBack = useFocusReturn();
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 animate-appear bg-black/35 dark:bg-black/60" />
        <Radix.Content
          onOpenAutoFocus={giveFocus}
          onCloseAutoFocus={giveFocusBack}
          {...(description ? {} : { 'aria-describedby': undefined })}
          className={cx(
            'fixed inset-x-3 bottom-3 z-40 mx-auto flex max-h-[calc(100dvh-24px)] animate-appear flex-col rounded-xl bg-raised shadow-float sm:top-[12dvh] sm:bottom-auto sm:max-h-[76dvh]',
            wide ? 'max-w-2xl' : 'max-w-lg',
          )}
        >
          <header className="flex items-start gap-3 px-5 pt-4 pb-3">
            <div className="min-w-0 flex-1">
              <Title>{title}</Title>
              {description ? (
                <Radix.Description className="mt-0.5 text-ink-3 wrap-anywhere">
                  {typeof description === 'string' ? <Sentence text={description} /> : description}
                </Radix.Description>
              ) : null}
            </div>
            <CloseButton />
          </header>
          <div className="min-h-0 flex-1 overflow-y-auto px-5 pb-4">{children}</div>
          {footer ? (
            <footer className="flex flex-wrap items-center justify-end gap-2 border-t bg-sunken px-5 py-3 first:rounded-t-xl last:rounded-b-xl">
              {footer}
            </footer>
          ) : null}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

/** A panel from the right edge, for a closer look without leaving the page. */
export function Drawer({ open, onOpenChange, title, description, children }: Omit<DialogProps, 'wide' | 'footer'>) {
  const giveFocusBack = useFocusReturn();
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 animate-appear bg-black/25 dark:bg-black/50" />
        <Radix.Content
          onOpenAutoFocus={giveFocus}
          onCloseAutoFocus={giveFocusBack}
          {...(description ? {} : { 'aria-describedby': undefined })}
          className="fixed inset-y-0 right-0 z-40 flex w-full max-w-2xl animate-slide-in flex-col border-l bg-panel shadow-float"
        >
          <header className="flex items-start gap-3 border-b px-5 py-4">
            <div className="min-w-0 flex-1">
              <Title>{title}</Title>
              {description ? (
                <Radix.Description asChild>
                  <div className="mt-0.5 text-ink-3 wrap-anywhere">
                    {typeof description === 'string' ? <Sentence text={description} /> : description}
                  </div>
                </Radix.Description>
              ) : null}
            </div>
            <CloseButton />
          </header>
          <div className="min-h-0 flex-1 overflow-y-auto">{children}</div>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

function Title({ children }: { readonly children: ReactNode }) {
  return (
    <Radix.Title data-title="" tabIndex={-1} className="font-semibold text-lg outline-none wrap-anywhere">
      {children}
    </Radix.Title>
  );
}

function CloseButton() {
  return (
    <Radix.Close
      className="-mt-0.5 -mr-1.5 inline-flex size-7 shrink-0 items-center justify-center rounded-md text-ink-3 hover:bg-hover hover:text-ink"
      aria-label={t.close}
    >
      <X size={15} aria-hidden />
    </Radix.Close>
  );
}
