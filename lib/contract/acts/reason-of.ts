/** A reason as a request takes it: no member where none was written. */
export function reasonOf(written: string): { readonly reason?: string } {
  const reason = written.trim();
  return reason === '' ? {} : { reason };
}
