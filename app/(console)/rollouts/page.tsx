import type { Metadata } from 'next';
import { RolloutsScreen } from '@/components/rollouts/rollouts-screen';
import { t } from '@/lib/words/catalogue/console/pages';
import { Seeded } from '../../reads';
import type { SearchParams } from '../../search-params';
import { readListQuery } from '../../search-params';

export const metadata: Metadata = { title: t.rollouts };

/** The list of rollouts, narrowed as the address says. */
export default async function RolloutsPage({ searchParams }: { searchParams: SearchParams }) {
  return (
    <Seeded topics={[{ kind: 'rollouts', query: await readListQuery(searchParams) }]}>
      <RolloutsScreen />
    </Seeded>
  );
}
