'use client';

import { Tooltip as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import { useEffect } from 'react';
import type { TriggerProps } from './trigger-placeholder';
import { TriggerPlaceholder } from './trigger-placeholder';

interface BubbleProps {
  readonly trigger: HTMLElement;
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  readonly onHanded: (handed: TriggerProps) => void;
  readonly children: ReactNode;
}

/** A sentence beside the element that it explains. */
export function Bubble({ trigger, open, onOpenChange, onHanded, children }: BubbleProps) {
  useEffect(() => {
    // What brought the library here it has not seen; it is told again.
    if (trigger.matches(':hover')) trigger.dispatchEvent(new PointerEvent('pointermove', { bubbles: true, pointerType: 'mouse' }));
    if (trigger.matches(':focus-visible')) onOpenChange(true);
  }, [trigger, onOpenChange]);
  return (
    <Radix.Provider delayDuration={250}>
      <Radix.Root open={open} onOpenChange={onOpenChange}>
        <Radix.Trigger asChild>
          <TriggerPlaceholder element={trigger} onHanded={onHanded} />
        </Radix.Trigger>
        <Radix.Portal>
          <Radix.Content
            side="top"
            sideOffset={6}
            collisionPadding={8}
            className="z-50 max-w-[min(18rem,calc(100vw-16px))] animate-appear rounded-md bg-raised px-2 py-1 text-ink-2 text-xs shadow-float"
          >
            {children}
          </Radix.Content>
        </Radix.Portal>
      </Radix.Root>
    </Radix.Provider>
  );
}
