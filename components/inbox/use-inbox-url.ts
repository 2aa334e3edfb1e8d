'use client';

import { changeListUrl } from '@/components/live/address/list-url';
import { useAddress } from '@/components/live/address/use-address';
import { LONGEST, parseValues } from '@/lib/contract/lists/list-query';
import { inboxRow } from '@/lib/contract/system-rows';
import type { InboxFilter } from './inbox-filter';

/** The kinds of what the inbox tells. */
export const INBOX_KINDS = inboxRow.shape.kind.options;

type InboxChange = Partial<Record<keyof InboxFilter, string | readonly string[] | null>>;

/** What narrows the inbox lives in its address, so that a link shows the same; a kind that there is not is left out. */
export function useInboxUrl(): { readonly filter: InboxFilter; readonly change: (change: InboxChange) => void } {
  const { params, write } = useAddress();
  const values = (name: string) => parseValues(params.get(name)?.slice(0, LONGEST));
  const named = values('kind');
  return {
    filter: {
      q: params.get('q')?.slice(0, LONGEST) || undefined,
      ns: values('ns'),
      kind: INBOX_KINDS.filter((kind) => named.includes(kind)),
    },
    change: (wanted) => write(changeListUrl(new URLSearchParams(globalThis.location.search), wanted)),
  };
}
