import { z } from 'zod';
import { parseDurationMs } from '@/lib/std/duration';

const DAY_MS = 86_400_000;

/** A whole number within bounds. */
export function wholeNumber(least: number, most: number) {
  const bounds = `must be ${least} to ${most}`;
  return z.coerce.number('must be a number').int('must be a whole number').min(least, bounds).max(most, bounds);
}

/** A duration of a second at least, in milliseconds. */
export function duration(fallback: string, longest: { readonly ms: number; readonly text: string } = { ms: DAY_MS, text: '1d' }) {
  const bounds = `must be a duration from 1s to ${longest.text}`;
  return z
    .string()
    .default(fallback)
    .transform((text) => parseDurationMs(text) ?? Number.NaN)
    .pipe(z.number(bounds).min(1000, bounds).max(longest.ms, bounds));
}

/** On or off. */
export const onOff = z.enum(['on', 'off'], 'must be on or off');

/** Words with commas between. */
export const list = z.string().transform((text) => text.split(',').flatMap((word) => word.trim() || []));
