import { z } from 'zod';
import { LONGEST, parseValues } from '../lists/list-query';
import { inboxRow } from '../system-rows';

/** The kinds of what the inbox tells. */
export const INBOX_KINDS = inboxRow.shape.kind.options;
type InboxKind = (typeof INBOX_KINDS)[number];

/** Entries that one page of the inbox shows. */
export const INBOX_PAGE = 200;

/** What the inbox is narrowed to, of several values any will do, and which page of it. Page numbers start at 0. */
export interface InboxQuery {
  readonly q?: string;
  readonly ns?: readonly string[];
  readonly kind?: readonly InboxKind[];
  readonly page?: number;
}

/** The canonical text: members in fixed order, defaults left out. */
export function formatInboxQuery({ q, ns = [], kind = [], page = 0 }: InboxQuery): string {
  const text = new URLSearchParams();
  if (q) text.set('q', q);
  if (ns.length > 0) text.set('ns', ns.join(','));
  if (kind.length > 0) text.set('kind', kind.join(','));
  if (page > 0) text.set('page', String(page));
  return text.toString();
}

/** Reads what the inbox is narrowed to; a kind that there is not is left out. */
export function parseInboxQuery(params: URLSearchParams): InboxQuery {
  const values = (name: string) => parseValues(params.get(name)?.slice(0, LONGEST));
  const [q, ns, named] = [params.get('q')?.slice(0, LONGEST), values('ns'), values('kind')];
  const kind = INBOX_KINDS.filter((known) => named.includes(known));
  const page = Math.floor(Number(params.get('page') ?? 0));
  return {
    ...(q ? { q } : {}),
    ...(ns.length > 0 ? { ns } : {}),
    ...(kind.length > 0 ? { kind } : {}),
    ...(page > 0 && page < 1e6 ? { page } : {}),
  };
}

/** True where the inbox is narrowed by anything. */
export function isInboxNarrowed({ q, ns, kind }: InboxQuery): boolean {
  return Boolean(q ?? ns ?? kind);
}

const count = z.number().int().min(0);

/** How many entries there are on all pages: by group, and by kind as if no kind were chosen. */
export const inboxCounts = z.object({
  groups: z.object({ waits: count, failing: count, moving: count }),
  kinds: z.partialRecord(inboxRow.shape.kind, count),
});
export type InboxCounts = z.infer<typeof inboxCounts>;
