import { liveQuery } from '@/components/live/live-query';
import { engineRow } from '@/lib/contract/system-rows';

/** What the screen about the engine reads. */
export const engineQueries = {
  engine: () => liveQuery({ kind: 'engine' }, engineRow),
};
