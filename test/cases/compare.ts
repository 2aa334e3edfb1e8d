import { isFields } from '@/lib/kube/fields';
import { deepEqual } from '@/lib/std/deep-equal';
import type { CaseDifference } from './case';

/** The innermost places where two values differ, named by their path. */
export function compare(at: string, expected: unknown, found: unknown): readonly CaseDifference[] {
  if (deepEqual(expected, found)) return [];
  if (Array.isArray(expected) && Array.isArray(found) && expected.length === found.length) {
    return expected.flatMap((item, index) => compare(`${at}[${index}]`, item, found[index]));
  }
  if (isFields(expected) && isFields(found)) {
    const members = new Set([...Object.keys(expected), ...Object.keys(found)]);
    return [...members].flatMap((member) => compare(`${at}.${member}`, expected[member], found[member]));
  }
  return [{ at, expected, found }];
}

/** Compares two lists whatever their order. */
export function compareUnordered(at: string, expected: readonly unknown[], found: readonly unknown[]): readonly CaseDifference[] {
  const rest = [...found];
  const missing = expected.filter((item) => {
    const index = rest.findIndex((candidate) => deepEqual(item, candidate));
    if (index >= 0) rest.splice(index, 1);
    return index < 0;
  });
  return missing.length + rest.length === 0 ? [] : [{ at: `${at} (in any order, what does not match)`, expected: missing, found: rest }];
}
