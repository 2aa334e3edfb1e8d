import { liveQuery } from '@/components/live/live-query';
import { applicationDetail, applicationRow } from '@/lib/contract/application-rows';
import { inboxRow } from '@/lib/contract/system-rows';

const CANDIDATES = 20;

/** What the inbox reads. */
export const inboxQueries = {
  inbox: () => liveQuery({ kind: 'inbox' }, inboxRow),
  /** Applications a first rollout could be started on. */
  candidates: () => liveQuery({ kind: 'applications', query: { size: CANDIDATES } }, applicationRow),
  application: (ns: string, name: string) => liveQuery({ kind: 'application', ns, name }, applicationDetail),
};
