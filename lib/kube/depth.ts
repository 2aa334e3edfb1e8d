/** Tells whether a value is nested deeper than so many levels; level by level, so that no depth is too deep to be told of. */
export function isNestedDeeper(value: unknown, most: number): boolean {
  let level: readonly unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    level = level.filter((one) => typeof one === 'object' && one !== null);
    if (depth >= most && level.length > 0) return true;
    level = level.flatMap((one) => Object.values(one as object));
  }
  return false;
}

/** So deep may applications lie in each other; what lies deeper would not be looked at when it is asked who may put what. */
export const DEEPEST_APPLICATION = 5;
