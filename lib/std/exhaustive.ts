/** Ends a switch over a closed union: adding a member breaks the build here, and a stray value fails loudly. */
export function assertNever(value: never): never {
  throw new Error(`unexpected value ${JSON.stringify(value)}`);
}
