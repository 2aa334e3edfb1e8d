/** Where a rule's sign stands outside of its home, comments aside: `[file, line, text]`. */
export function findOffences(
  rule: { readonly sign: RegExp; readonly home: RegExp },
  files: readonly { readonly file: string; readonly text: string }[],
): readonly (readonly [string, number, string])[];
