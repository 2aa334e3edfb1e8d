'use client';

import type { ReactNode } from 'react';
import { useEffect, useState } from 'react';
import { t } from '@/lib/words/catalogue/console/ui';
import type { LazyModule } from './lazy-module';
import { useLazyModule } from './lazy-module';

const AGAIN_MS = 5000;

interface LazyPartProps<Part> {
  readonly part: LazyModule<Part>;
  /** What stands in its place until it is there. */
  readonly pending: ReactNode;
  readonly children: (part: Part) => ReactNode;
}

/**
 * A part of a page that only the browser draws, and that comes after the page. Where it does not come, its place says so and it is asked for again: the rest
 * of the page stays, with what can be done there.
 */
export function LazyPart<Part>({ part, pending, children }: LazyPartProps<Part>) {
  const held = useLazyModule(part);
  const isMissing = useAsked(part);
  if (held !== undefined) return children(held);
  return isMissing ? <p className="px-4 py-6 text-warn">{t.thisPartComesOnceThe}</p> : pending;
}

/** Asks for a part until it comes; true once it did not come at the first time. */
function useAsked({ load }: LazyModule<unknown>): boolean {
  const [isMissing, setIsMissing] = useState(false);
  useEffect(() => {
    let again: ReturnType<typeof setTimeout> | undefined;
    let isLeft = false;
    const ask = () => {
      load().catch(() => {
        if (isLeft) return;
        setIsMissing(true);
        again = setTimeout(ask, AGAIN_MS);
      });
    };
    ask();
    return () => {
      isLeft = true;
      clearTimeout(again);
    };
  }, [load]);
  return isMissing;
}
