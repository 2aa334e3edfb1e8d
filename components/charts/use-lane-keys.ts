'use client';

import type { KeyboardEvent } from 'react';
import { useState } from 'react';
import type { LanePoint } from './scale-lane';
import { nextPoint } from './scale-lane';

/** The point of a lane that the keyboard is at: the arrow keys, Home and End move it while the chart has the focus. */
export function useLaneKeys(points: readonly LanePoint[]) {
  const [chosen, setChosen] = useState<number | null>(null);
  const last = points.length - 1;
  const at = chosen === null || last < 0 ? null : Math.min(chosen, last);
  const onKeyDown = (event: KeyboardEvent) => {
    const next = event.key === 'Escape' ? null : nextPoint(event.key, at ?? last, points.length);
    if (next === undefined) return;
    setChosen(next);
    event.preventDefault();
  };
  return { point: at === null ? undefined : points[at], onKeyDown, onFocus: () => setChosen(last), onBlur: () => setChosen(null) };
}
