import { liveQuery } from '@/components/live/live-query';
import { applicationDetail } from '@/lib/contract/application-rows';
import { rolloutRow } from '@/lib/contract/rollout-rows';

/** Rollouts that one answer tells of. */
export const MAX_CANDIDATES = 20;
/** What the demonstration calls the one that its story is about. */
const STORY = 'storefront';

/** What the way to a first rollout reads. Whatever rolls out in stages has a rollout of its name, also at rest: thousands of others are not looked at. */
export const startQueries = {
  /** Those that a first rollout is best shown on. */
  story: () => liveQuery({ kind: 'rollouts', query: { q: STORY, size: MAX_CANDIDATES } }, rolloutRow),
  /** Those that are well, and so may rest, a page at a time. */
  resting: (page: number) => liveQuery({ kind: 'rollouts', query: { health: ['Current'], page, size: MAX_CANDIDATES } }, rolloutRow),
  application: (ns: string, name: string) => liveQuery({ kind: 'application', ns, name }, applicationDetail),
};
