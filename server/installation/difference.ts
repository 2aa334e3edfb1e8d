import { isFields } from '@/lib/kube/fields';
import { deepEqual } from '@/lib/std/deep-equal';
import { formatCount } from '@/lib/words/figures';

const LONGEST = 60;

/** The first place where a value is not as wanted, with both values in short; undefined when it is. */
export function describeDifference(path: string, wanted: unknown, found: unknown): string | undefined {
  if (deepEqual(wanted, found)) return undefined;
  if (Array.isArray(wanted) && Array.isArray(found)) return describeElements(path, wanted, found);
  if (!isFields(wanted) || !isFields(found)) return `${path} needs ${inShort(wanted)}, found ${inShort(found)}`;
  for (const member of new Set([...Object.keys(wanted), ...Object.keys(found)])) {
    const difference = describeDifference(`${path}.${member}`, wanted[member], found[member]);
    if (difference !== undefined) return difference;
  }
  return undefined;
}

function describeElements(path: string, wanted: readonly unknown[], found: readonly unknown[]): string | undefined {
  if (wanted.length !== found.length) return `${path} needs ${formatCount(wanted.length, 'entry', 'entries')}, found ${found.length}`;
  for (const [at, element] of wanted.entries()) {
    const difference = describeDifference(`${path}[${at}]`, element, found[at]);
    if (difference !== undefined) return difference;
  }
  return undefined;
}

function inShort(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = JSON.stringify(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
