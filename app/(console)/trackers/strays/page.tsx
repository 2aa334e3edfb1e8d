import type { Metadata } from 'next';
import { StraysScreen } from '@/components/trackers/strays-screen';
import { t } from '@/lib/words/catalogue/console/pages';
import { Seeded } from '../../../reads';
import type { SearchParams } from '../../../search-params';
import { readListQuery } from '../../../search-params';

export const metadata: Metadata = { title: t.strays };

/** Objects that no tracker lists, narrowed as the address says. */
export default async function StraysPage({ searchParams }: { searchParams: SearchParams }) {
  return (
    <Seeded topics={[{ kind: 'strays', query: await readListQuery(searchParams) }]}>
      <StraysScreen />
    </Seeded>
  );
}
