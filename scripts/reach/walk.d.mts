/** What nothing but tests can reach; the list that `walk.mjs` describes. */
export function findUnreached(
  files: readonly string[],
  entries: readonly string[],
  kept?: readonly string[],
): readonly { readonly id: string; readonly line: number }[];
