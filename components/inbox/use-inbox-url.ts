'use client';

import { changeListUrl } from '@/components/live/address/list-url';
import { useAddress } from '@/components/live/address/use-address';
import type { InboxQuery } from '@/lib/contract/inbox/inbox-query';
import { parseInboxQuery } from '@/lib/contract/inbox/inbox-query';

export type InboxChange = { readonly [Member in keyof InboxQuery]?: InboxQuery[Member] | null };

/** What narrows the inbox, and its page, live in its address, so that a link shows the same. */
export function useInboxUrl(): { readonly query: InboxQuery; readonly change: (change: InboxChange) => void } {
  const { params, write } = useAddress();
  return {
    query: parseInboxQuery(params),
    change: (wanted) =>
      write(changeListUrl(new URLSearchParams(globalThis.location.search), wanted), 'page' in wanted ? 'push' : 'replace'),
  };
}
