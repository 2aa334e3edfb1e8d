import { liveQuery } from '@/components/live/live-query';
import { applicationDetail, applicationRow } from '@/lib/contract/application-rows';

const CANDIDATES = 20;
/** What the demonstration calls the one that its story is about. */
const STORY = 'storefront';

/** What the way to a first rollout reads. */
export const startQueries = {
  /** Of all applications, those that a first rollout is best shown on. */
  story: () => liveQuery({ kind: 'applications', query: { q: STORY, size: CANDIDATES } }, applicationRow),
  /** Of all applications, some of those that are well, and so may rest. */
  resting: () => liveQuery({ kind: 'applications', query: { health: ['Current'], size: CANDIDATES } }, applicationRow),
  application: (ns: string, name: string) => liveQuery({ kind: 'application', ns, name }, applicationDetail),
};
