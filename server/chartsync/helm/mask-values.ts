import type { Fields } from '@/lib/kube/fields';

const MASK = '[masked]';
/** Shorter texts are words like `on`, which masked would spoil the sentence and hide nothing. */
const SHORTEST = 4;

/** A text without the values in it: Helm quotes them where a template fails, and no value may stand in an error, a log or an event. */
export function maskValues(text: string, values: Fields): string {
  return maskerOf(values)(text);
}

/** The same for many texts: the values are gone through once. */
export function maskerOf(values: Fields): (text: string) => string {
  const leaves = [...new Set(leavesOf(values))].sort((a, b) => b.length - a.length);
  return (text) => leaves.reduce((masked, value) => masked.replaceAll(value, MASK), text);
}

function leavesOf(value: unknown): string[] {
  if (typeof value === 'string') return [value, ...value.split('\n')].filter((text) => text.length >= SHORTEST);
  if (typeof value === 'number') return [String(value)].filter((text) => text.length >= SHORTEST);
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(leavesOf) : [];
}
