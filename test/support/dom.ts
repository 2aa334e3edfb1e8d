import '@testing-library/jest-dom/vitest';
import { cleanup, configure } from '@testing-library/react';
import type { ClassValue } from 'clsx';
import { clsx } from 'clsx';
import { extendTailwindMerge } from 'tailwind-merge';
import { afterEach, vi } from 'vitest';

// What is awaited comes when it comes: a slow machine is no failure.
configure({ asyncUtilTimeout: 30_000 });

// Our type scale has a step more; without telling, it takes `text-2xs` for a colour.
const merge = extendTailwindMerge({ extend: { classGroups: { 'font-size': [{ text: ['2xs'] }] } } });

// Which of two classes for one property wins is up to the order of the style sheet: whoever joins such a pair is told.
vi.mock('@/components/ui/cx', () => ({
  cx(...values: ClassValue[]) {
    const joined = clsx(values);
    const kept = new Set(merge(joined).split(' '));
    const lost = joined.split(' ').filter((name) => name !== '' && !kept.has(name));
    if (lost.length > 0) throw new Error(`"${joined}" sets what ${lost.join(' and ')} sets twice`);
    return joined;
  },
}));

class QuietResizeObserver implements ResizeObserver {
  observe(): void {}
  unobserve(): void {}
  disconnect(): void {}
}
globalThis.ResizeObserver ??= QuietResizeObserver;
// The editor measures its text; nothing is laid out here, so nothing has a place.
Range.prototype.getClientRects ??= () => document.body.getClientRects();

afterEach(cleanup);
