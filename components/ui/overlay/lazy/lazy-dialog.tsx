'use client';

import type { ReactNode } from 'react';
import { useEffect, useEffectEvent } from 'react';
import type { LazyModule } from './lazy-module';
import { loadNow, useLazyModule } from './lazy-module';

interface LazyDialogProps<Part> {
  readonly part: LazyModule<Part>;
  /** Called where it does not come: nothing is open then, and whoever opens it again asks again. */
  readonly onMissing: () => void;
  /** What stands for it until it is there. */
  readonly pending?: ReactNode;
  readonly children: (part: Part) => ReactNode;
}

/** A dialog that comes once somebody opens it. Where it does not come, a toast says so and the page stays as it is. */
export function LazyDialog<Part>({ part, onMissing, pending = null, children }: LazyDialogProps<Part>) {
  const held = useLazyModule(part);
  const miss = useEffectEvent(onMissing);
  useEffect(() => loadNow(part, () => miss()), [part]);
  return held === undefined ? pending : children(held);
}
