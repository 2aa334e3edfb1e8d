import type { Metadata } from 'next';
import { TrackersScreen } from '@/components/trackers/trackers-screen';
import { t } from '@/lib/words/catalogue/console/pages';
import { Seeded } from '../../reads';
import type { SearchParams } from '../../search-params';
import { readListQuery } from '../../search-params';

export const metadata: Metadata = { title: t.trackers };

/** The list of trackers, narrowed as the address says. */
export default async function TrackersPage({ searchParams }: { searchParams: SearchParams }) {
  return (
    <Seeded topics={[{ kind: 'trackers', query: await readListQuery(searchParams) }]}>
      <TrackersScreen />
    </Seeded>
  );
}
