import { z } from 'zod';
import type { RecordEntry } from '@/lib/contract/record-entry';
import { RELEASE_VERBS } from '@/lib/contract/release-decision';
import type { RevisionCause } from '@/lib/contract/release-rows';
import { nameOfKind } from '@/lib/kube/kinds';
import { toIso } from '@/lib/std/instant';
import { TRIGGER_WORDS } from '@/lib/words/format-release';
import { RECONCILE_TRIGGERS } from '@/lib/words/release-message';

const ACTS = ['release.installed', 'release.upgraded', 'release.rolled-back', 'release.remediated'];
const EDITS = ['release.edit', 'release.accept-plan'];
/** The acts on record that tell what made a stored revision. */
export const CAUSING_ACTIONS: readonly string[] = [...ACTS, ...EDITS];
const acted = z.object({
  by: z.enum(RECONCILE_TRIGGERS),
  outcome: z.string(),
  storedRevision: z.number(),
  commit: z.object({ commit: z.string(), subject: z.string(), author: z.string(), at: z.string() }).nullish(),
  decision: z.object({ verb: z.enum(RELEASE_VERBS), users: z.array(z.string()), reason: z.string().nullable() }).nullish(),
});

/**
 * What made each stored revision of the release that a resource declares, by the record, whose entries come oldest first: the loop, the commit of the chart, and
 * the people: whose decision it was, or who edited the resource since the act before. Pure.
 */
export function revisionCauses(
  entries: readonly RecordEntry[],
  /** `kind` is the name that tells it from every other. */
  resource: { readonly kind: string; readonly name: string },
): ReadonlyMap<number, RevisionCause> {
  const newestFirst = entries.filter(({ about }) => nameOfKind(about) === resource.kind && about.name === resource.name).reverse();
  const causes = new Map<number, RevisionCause>();
  for (const [place, { action, at, data }] of newestFirst.entries()) {
    const read = ACTS.includes(action) ? acted.safeParse(data) : undefined;
    if (read === undefined || !read.success) continue;
    const { by, outcome, storedRevision, commit, decision } = read.data;
    const edit = by === 'resource' ? editBefore(newestFirst.slice(place + 1)) : undefined;
    const people =
      decision ??
      (edit === undefined ? { verb: null, users: [], reason: null } : { verb: 'edit' as const, users: [edit.actor], reason: null });
    // A name may be used again, and numbers begin at 1 then: the newest entry is that of the revision which is stored.
    if (!causes.has(storedRevision))
      causes.set(storedRevision, { at: toIso(at), by: TRIGGER_WORDS[by], outcome, commit: commit ?? null, ...people });
  }
  return causes;
}

/** Clocks of the cluster and of the server may be so far apart. */
const SKEW_MS = 60_000;

/** What made a revision; null where nothing on record did: an act that is older than the revision was one on an earlier release of the name, whose numbers were the same. */
export function causeOf(
  causes: ReadonlyMap<number, RevisionCause>,
  { revision, storedAt }: { readonly revision: number; readonly storedAt?: string | null },
): RevisionCause | null {
  const cause = causes.get(revision);
  if (cause === undefined) return null;
  return storedAt != null && Date.parse(cause.at) < Date.parse(storedAt) - SKEW_MS ? null : cause;
}

/** The newest edit through the console, if nothing was released since. */
function editBefore(older: readonly RecordEntry[]): RecordEntry | undefined {
  const found = older.find(({ action }) => ACTS.includes(action) || EDITS.includes(action));
  return found !== undefined && EDITS.includes(found.action) ? found : undefined;
}
