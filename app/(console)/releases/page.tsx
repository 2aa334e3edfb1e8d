import type { Metadata } from 'next';
import { ReleasesScreen } from '@/components/releases/releases-screen';
import { t } from '@/lib/words/catalogue/console/pages';
import { Seeded } from '../../reads';
import type { SearchParams } from '../../search-params';
import { readListQuery } from '../../search-params';

export const metadata: Metadata = { title: t.releases };

/** The list of Helm releases, narrowed as the address says. */
export default async function ReleasesPage({ searchParams }: { searchParams: SearchParams }) {
  return (
    <Seeded topics={[{ kind: 'releases', query: await readListQuery(searchParams) }]}>
      <ReleasesScreen />
    </Seeded>
  );
}
