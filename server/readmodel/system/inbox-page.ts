import type { InboxCounts, InboxQuery } from '@/lib/contract/inbox/inbox-query';
import { INBOX_PAGE } from '@/lib/contract/inbox/inbox-query';
import type { InboxRow } from '@/lib/contract/system-rows';
import type { View } from '../views/live-window';

/** A page of the inbox, from all of its entries in order: narrowed as it is asked for, and counted over all pages. */
export function pageInbox(ordered: readonly InboxRow[], { q, ns, kind, page = 0 }: InboxQuery): View & { readonly counts: InboxCounts } {
  const wanted = q?.toLowerCase();
  const ofAnyKind = ordered.filter((row) => {
    if (ns !== undefined && !ns.includes(row.ns)) return false;
    return wanted === undefined || [row.ns, row.name, row.title, row.sentence].some((text) => text.toLowerCase().includes(wanted));
  });
  const found = kind === undefined ? ofAnyKind : ofAnyKind.filter((row) => kind.includes(row.kind));
  const shown = found.slice(page * INBOX_PAGE, (page + 1) * INBOX_PAGE);
  return {
    order: shown.map(({ key }) => key),
    rows: new Map(shown.map((row) => [row.key, row])),
    total: found.length,
    counts: countEntries(found, ofAnyKind),
  };
}

function countEntries(found: readonly InboxRow[], ofAnyKind: readonly InboxRow[]): InboxCounts {
  const groups = { waits: 0, failing: 0, moving: 0 };
  for (const { group } of found) groups[group]++;
  const kinds: InboxCounts['kinds'] = {};
  for (const { kind } of ofAnyKind) kinds[kind] = (kinds[kind] ?? 0) + 1;
  return { groups, kinds };
}
