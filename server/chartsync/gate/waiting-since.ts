import type { KeptGate } from '@/lib/contract/release-gate';

/** Since when a commit waits: what is kept of one that waited already, which is nothing where an older definition dropped it. */
export function waitingSince(
  { commit }: NonNullable<KeptGate['waiting']>,
  { before, foundAt }: { readonly before: KeptGate['waiting']; readonly foundAt: string },
): { readonly since?: string } {
  const since = before?.commit === commit ? before.since : foundAt;
  return since === undefined ? {} : { since };
}
