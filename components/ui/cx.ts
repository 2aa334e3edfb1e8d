import type { ClassValue } from 'clsx';
import { clsx } from 'clsx';
import { extendTailwindMerge } from 'tailwind-merge';

// Our type scale adds a step; without telling, the merge takes `text-2xs` for a colour and drops it beside one.
const merge = extendTailwindMerge({ extend: { classGroups: { 'font-size': [{ text: ['2xs'] }] } } });

/** Joins class names; of two that set the same property the later one wins. */
export function cx(...values: ClassValue[]): string {
  return merge(clsx(values));
}
