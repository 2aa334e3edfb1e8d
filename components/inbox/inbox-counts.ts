import type { InboxRow, StatusRow } from '@/lib/contract/system-rows';
import { t } from '@/lib/words/catalogue/console/inbox';

type Groups = Readonly<Record<InboxRow['group'], number>>;

/** How many entries there are in all, where the server sends only the most urgent. */
export interface InboxCounts {
  readonly isCut: boolean;
  readonly listed: number;
  /** Of each group, how many are listed. */
  readonly of: Groups;
  /** Of each group, how many there are; null until the server told. */
  readonly all: Groups | null;
}

/** Counts what is listed, so that it changes with what is listed; what is not all listed is counted by the server. */
export function countInbox(rows: readonly InboxRow[], total: number, counts: StatusRow['counts'] | undefined): InboxCounts {
  const of = { waits: 0, failing: 0, moving: 0 };
  for (const { group } of rows) of[group]++;
  const isCut = total > rows.length;
  return { isCut, listed: rows.length, of, all: isCut ? (counts ?? null) : of };
}

/** What stands beside the title of a panel: the true count, or of how many these are. */
export function noteOfGroup(shown: number, group: InboxRow['group'] | undefined, { isCut, listed, of, all }: InboxCounts) {
  if (shown === 0) return undefined;
  if (!isCut) return shown;
  if (group === undefined || all === null) return t.ofListed(shown, listed);
  if (all[group] <= of[group]) return shown;
  // Whose turn it is with those that are not listed, nobody knows here.
  return group === 'waits' ? t.ofAllWaiting(shown, all.waits) : t.ofAll(shown, all[group]);
}
