import type { Metadata } from 'next';
import { ActivityScreen } from '@/components/activity/activity-screen';
import { Seeded } from '../../reads';
import type { SearchParams } from '../../search-params';
import { readListQuery } from '../../search-params';

export const metadata: Metadata = { title: 'Activity' };

/** The record of who did what. */
export default async function ActivityPage({ searchParams }: { searchParams: SearchParams }) {
  return (
    <Seeded topics={[{ kind: 'activity', query: await readListQuery(searchParams) }]}>
      <ActivityScreen />
    </Seeded>
  );
}
