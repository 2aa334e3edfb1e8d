import type { Metadata } from 'next';
import { ApplicationsScreen } from '@/components/applications/applications-screen';
import { t } from '@/lib/words/catalogue/console/pages';
import { Seeded } from '../../reads';
import type { SearchParams } from '../../search-params';
import { readListQuery } from '../../search-params';

export const metadata: Metadata = { title: t.applications };

/** The list of applications, narrowed as the address says. */
export default async function ApplicationsPage({ searchParams }: { searchParams: SearchParams }) {
  return (
    <Seeded topics={[{ kind: 'applications', query: await readListQuery(searchParams) }]} rights={[{ kind: 'applications' }]}>
      <ApplicationsScreen />
    </Seeded>
  );
}
