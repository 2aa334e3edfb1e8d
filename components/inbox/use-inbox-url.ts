'use client';

import { changeListUrl } from '@/components/live/address/list-url';
import { useAddress } from '@/components/live/address/use-address';
import { parseListQuery, parseValues } from '@/lib/contract/lists/list-query';
import { inboxRow } from '@/lib/contract/system-rows';
import type { InboxFilter } from './inbox-filter';

/** The kinds of what the inbox tells. */
export const INBOX_KINDS = inboxRow.shape.kind.options;

type InboxChange = Partial<Record<keyof InboxFilter, string | readonly string[] | null>>;

/** What narrows the inbox lives in its address, so that a link shows the same; a kind that there is not is left out. */
export function useInboxUrl(): { readonly filter: InboxFilter; readonly change: (change: InboxChange) => void } {
  const { params, write } = useAddress();
  const { q, ns = [] } = parseListQuery(params);
  const named = parseValues(params.get('kind') ?? undefined);
  return {
    filter: { q, ns, kind: INBOX_KINDS.filter((kind) => named.includes(kind)) },
    change: (wanted) => write(changeListUrl(new URLSearchParams(globalThis.location.search), wanted)),
  };
}
