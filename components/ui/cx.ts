import type { ClassValue } from 'clsx';
import { clsx } from 'clsx';

/** Joins class names. No two may set the same property: which one wins is up to the order of the style sheet (the tests of components refuse such a pair). */
export function cx(...values: ClassValue[]): string {
  return clsx(values);
}
