import { liveQuery } from '@/components/live/live-query';
import { applicationDetail, applicationRow } from '@/lib/contract/application-rows';

const CANDIDATES = 20;

/** What the way to a first rollout reads. */
export const startQueries = {
  /** Applications a first rollout could be started on. */
  candidates: () => liveQuery({ kind: 'applications', query: { size: CANDIDATES } }, applicationRow),
  application: (ns: string, name: string) => liveQuery({ kind: 'application', ns, name }, applicationDetail),
};
