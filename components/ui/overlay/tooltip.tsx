'use client';

import { Tooltip as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import { useSentence } from '@/components/ui/time/sentence';

export interface TooltipProps {
  readonly text: ReactNode;
  readonly children: ReactNode;
  /** Whether it is shown, where somebody else decides with it. */
  readonly open?: boolean;
  readonly onOpenChange?: (open: boolean) => void;
}

/** A sentence beside what it explains, on hover and on focus. */
export function Tooltip({ text, children, open, onOpenChange }: TooltipProps) {
  const say = useSentence();
  return (
    <Radix.Provider delayDuration={250}>
      <Radix.Root {...(open === undefined ? {} : { open })} {...(onOpenChange ? { onOpenChange } : {})}>
        <Radix.Trigger asChild>{children}</Radix.Trigger>
        <Radix.Portal>
          <Radix.Content
            side="top"
            sideOffset={6}
            collisionPadding={8}
            className="z-50 max-w-[min(18rem,calc(100vw-16px))] animate-appear rounded-md bg-raised px-2 py-1 text-ink-2 text-xs shadow-float"
          >
            {typeof text === 'string' ? say(text) : text}
          </Radix.Content>
        </Radix.Portal>
      </Radix.Root>
    </Radix.Provider>
  );
}
