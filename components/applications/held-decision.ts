import type { ApplicationDetail } from '@/lib/contract/application-rows';
import type { GarbageView } from '@/lib/contract/tracker-rows';

/** An approval of deletions that a safety rule holds, as it is sent. */
export interface HeldDecision {
  readonly verb: 'approve';
  readonly uid: string;
  readonly reason?: string;
  readonly seen: { readonly garbage: string };
  readonly garbage: { readonly objects: readonly string[]; readonly count: number };
}

/** The two trackers whose comparison is the plan; null when there is not exactly one older beside the newest. */
export function heldPair({ revisions, trackers }: Pick<ApplicationDetail, 'revisions' | 'trackers'>): { readonly from: string; readonly to: string } | null {
  const known = revisions
    .toSorted((a, b) => b.number - a.number)
    .flatMap((revision) => (revision.tracker !== null && trackers.includes(revision.tracker) ? [revision.tracker] : []));
  const [to, from, ...others] = known;
  return to !== undefined && from !== undefined && others.length === 0 && trackers.length === known.length ? { from, to } : null;
}

/** Names what was shown: the plan by its digest, what is held object by object, and how many go in all. */
export function toHeldDecision(uid: string, view: GarbageView, reason: string): HeldDecision {
  const held = view.rows.filter((row) => row.verdict === 'held');
  const deleted = view.rows.filter((row) => row.verdict === 'deleted');
  const text = reason.trim();
  return {
    verb: 'approve',
    uid,
    ...(text === '' ? {} : { reason: text }),
    seen: { garbage: view.digest },
    garbage: { objects: held.map((row) => `${row.kind}/${row.ns ?? ''}/${row.name}`), count: held.length + deleted.length },
  };
}
