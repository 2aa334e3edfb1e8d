import { liveQuery } from '@/components/live/live-query';
import type { InboxQuery } from '@/lib/contract/inbox/inbox-query';
import { inboxRow } from '@/lib/contract/system-rows';

/** What the inbox reads. */
export const inboxQueries = { inbox: (query: InboxQuery) => liveQuery({ kind: 'inbox', query }, inboxRow) };
