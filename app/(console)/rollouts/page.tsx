import type { Metadata } from 'next';
import { RolloutsScreen } from '@/components/rollouts/rollouts-screen';
import { Seeded } from '../../reads';
import type { SearchParams } from '../../search-params';
import { readListQuery } from '../../search-params';

export const metadata: Metadata = { title: 'Rollouts' };

/** The list of rollouts, narrowed as the address says. */
export default async function RolloutsPage({ searchParams }: { searchParams: SearchParams }) {
  return (
    <Seeded topics={[{ kind: 'rollouts', query: await readListQuery(searchParams) }]}>
      <RolloutsScreen />
    </Seeded>
  );
}
