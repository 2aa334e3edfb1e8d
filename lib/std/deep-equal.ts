/** Structural equality of JSON-like values; a member that is undefined, or that `isAbsent` says so of, counts as absent, key order does not matter. */
export function deepEqual(left: unknown, right: unknown, isAbsent: (value: unknown) => boolean = isUndefined): boolean {
  if (Object.is(left, right)) return true;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
  if (Array.isArray(left) || Array.isArray(right)) {
    if (!Array.isArray(left) || !Array.isArray(right) || left.length !== right.length) return false;
    return left.every((item, at) => deepEqual(item, right[at], isAbsent));
  }
  const a = left as Record<string, unknown>;
  const b = right as Record<string, unknown>;
  for (const key of Object.keys(a)) if (!isAbsent(a[key]) && !deepEqual(a[key], b[key], isAbsent)) return false;
  for (const key of Object.keys(b)) if (!isAbsent(b[key]) && isAbsent(a[key])) return false;
  return true;
}

function isUndefined(value: unknown): boolean {
  return value === undefined;
}
