import type { ApplicationDetail } from '@/lib/contract/application-rows';
import type { ChangeRow, SavePreview } from '@/lib/contract/change-rows';
import { deepEqual } from '@/lib/std/deep-equal';

/** An object that two plans of one change say something else about. */
export interface MovedRow {
  readonly key: string;
  readonly kind: string;
  readonly ns: string | null;
  readonly name: string;
  readonly seen: ChangeRow | null;
  readonly now: ChangeRow | null;
}

/** Why a change waits for somebody to accept what it would do now; null when none does. */
export function movedChange({ conditions }: Pick<ApplicationDetail, 'conditions'>): string | null {
  return conditions.find(({ type, status, reason }) => type === 'Applied' && status === 'False' && reason === 'PlanMoved')?.message ?? null;
}

/** What differs between what was seen and what would be done now, object by object. */
export function movedRows(seen: SavePreview, now: SavePreview): readonly MovedRow[] {
  const before = new Map(seen.changes.map((row) => [row.id, row]));
  const after = new Map(now.changes.map((row) => [row.id, row]));
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((key): MovedRow[] => {
    const [was, is] = [before.get(key) ?? null, after.get(key) ?? null];
    const named = is ?? was;
    if (named === null || isSame(was, is)) return [];
    return [{ key, kind: named.kind, ns: named.ns, name: named.name, seen: was, now: is }];
  });
}

/** Differences are shown for some rows only, so a missing one says nothing. */
function isSame(was: ChangeRow | null, is: ChangeRow | null): boolean {
  if (was === null || is === null) return false;
  if (was.verdict !== is.verdict || was.uid !== is.uid) return false;
  return was.diff === null || is.diff === null || deepEqual(was.diff, is.diff);
}
