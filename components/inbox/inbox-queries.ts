import { liveQuery } from '@/components/live/live-query';
import { inboxRow } from '@/lib/contract/system-rows';

/** What the inbox reads. */
export const inboxQueries = { inbox: () => liveQuery({ kind: 'inbox' }, inboxRow) };
