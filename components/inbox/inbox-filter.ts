import type { InboxRow } from '@/lib/contract/system-rows';

/** What the inbox is narrowed to; of several values any will do. */
export interface InboxFilter {
  readonly q?: string | undefined;
  readonly ns: readonly string[];
  readonly kind: readonly InboxRow['kind'][];
}

/** True where the inbox is narrowed by anything. */
export function narrows({ q, ns, kind }: InboxFilter): boolean {
  return q !== undefined || ns.length > 0 || kind.length > 0;
}

/** The rows that are asked for: the text is looked for in what a row shows. */
export function filterInbox(rows: readonly InboxRow[], { q, ns, kind }: InboxFilter): readonly InboxRow[] {
  const wanted = q?.toLowerCase();
  return rows.filter((row) => {
    if (ns.length > 0 && !ns.includes(row.ns)) return false;
    if (kind.length > 0 && !kind.includes(row.kind)) return false;
    return wanted === undefined || [row.ns, row.name, row.title, row.sentence].some((text) => text.toLowerCase().includes(wanted));
  });
}
