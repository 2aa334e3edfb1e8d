import type { Metadata } from 'next';
import { FluxSourcesScreen } from '@/components/releases/flux/flux-sources-screen';
import { t } from '@/lib/words/catalogue/console/pages';
import { Seeded } from '../../../reads';
import type { SearchParams } from '../../../search-params';
import { readListQuery } from '../../../search-params';

export const metadata: Metadata = { title: t.sources };

/** Where Flux gets charts from, narrowed as the address says. */
export default async function SourcesPage({ searchParams }: { searchParams: SearchParams }) {
  return (
    <Seeded topics={[{ kind: 'flux-sources', query: await readListQuery(searchParams) }]}>
      <FluxSourcesScreen />
    </Seeded>
  );
}
