'use client';

import type { ReactNode } from 'react';
import { createContext, useContext } from 'react';
import { formatMoment } from '@/lib/words/times';
import { useZone } from './zone';

/** Put around what is inside a link or button: there the exact times are shown while that has the focus, and are no stops of their own. */
export const InsideTarget = createContext(false);

interface ExactTimeProps {
  readonly at: string;
  /** The words are about how long until or since then, which paper keeps beside the moment. */
  readonly isSpan?: boolean;
  readonly children: ReactNode;
}

/** Words about a moment of ISO text; the exact one, with its zone, is shown on hover and on focus. */
export function ExactTime({ at, isSpan = false, children }: ExactTimeProps) {
  const exact = formatMoment(Date.parse(at), useZone());
  const isInside = useContext(InsideTarget);
  return (
    <time
      dateTime={at}
      title={exact}
      data-exact={exact}
      data-span={isSpan ? '' : undefined}
      tabIndex={isInside ? undefined : 0}
      className="exact-time whitespace-nowrap"
    >
      {children}
    </time>
  );
}
