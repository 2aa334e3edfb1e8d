'use client';

import type { HTMLAttributes, ReactElement, Ref } from 'react';
import { cloneElement, useRef, useState } from 'react';
import { useSentence } from '@/components/ui/time/sentence';
import { lazyWhenIdle, useLazyModule } from './lazy/lazy-module';
import type { TriggerProps } from './lazy/trigger-placeholder';

// The library comes with the first look at something that has a tooltip.
const tooltipParts = lazyWhenIdle(() => import('./lazy/tooltip-parts'));

interface ExplainedProps extends HTMLAttributes<HTMLElement> {
  readonly ref?: Ref<HTMLElement>;
}

export interface TooltipProps {
  /** Null where there is nothing to explain now; the element stays the same. */
  readonly text: string | null;
  readonly children: ReactElement<ExplainedProps>;
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
}

/** A sentence beside what it explains, on hover, on focus and when it is pressed. */
export function Tooltip({ text, children, open, onOpenChange }: TooltipProps) {
  const say = useSentence();
  const parts = useLazyModule(tooltipParts);
  const [element, setElement] = useState<HTMLElement | null>(null);
  const [wasSought, setSought] = useState(false);
  const handed = useRef<TriggerProps>({});
  const seek = () => {
    if (text === null || wasSought) return;
    setSought(true);
    tooltipParts.load().catch(() => undefined); // the sentence is read out without it, and comes with the next look
  };
  return (
    <>
      {cloneElement(children, {
        ref: setElement,
        onPointerEnter: seek,
        onPointerMove: (event) => handed.current.onPointerMove?.(event),
        onPointerLeave: (event) => handed.current.onPointerLeave?.(event),
        onPointerDown(event) {
          seek();
          handed.current.onPointerDown?.(event);
        },
        onFocus(event) {
          seek();
          handed.current.onFocus?.(event);
        },
        onBlur: (event) => handed.current.onBlur?.(event),
      })}
      {parts !== undefined && element !== null && wasSought && text !== null ? (
        <parts.Bubble
          trigger={element}
          open={open}
          onOpenChange={onOpenChange}
          onHanded={(now) => {
            handed.current = now;
          }}
        >
          {say(text)}
        </parts.Bubble>
      ) : null}
    </>
  );
}
