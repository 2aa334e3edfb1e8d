import type { Metadata } from 'next';
import { LedgerScreen } from '@/components/trackers/matrix/ledger-screen';
import { parseLedgerQuery } from '@/lib/contract/lists/ledger-query';
import { t } from '@/lib/words/catalogue/console/pages';
import { showHidden } from '@/lib/words/show-hidden';
import { Seeded } from '../../../../../reads';
import type { SearchParams } from '../../../../../search-params';
import { toParams } from '../../../../../search-params';

interface Props {
  params: Promise<{ ns: string; name: string }>;
  searchParams: SearchParams;
}

/** The title of the window: whose ledger it is. */
export async function generateMetadata({ params }: Props): Promise<Metadata> {
  return { title: t.ledgerOf(showHidden((await params).name)) };
}

/** The ledger of an application across its revisions, read before the first paint. */
export default async function LedgerPage({ params, searchParams }: Props) {
  const { ns, name } = await params;
  const { page: _page, ...query } = parseLedgerQuery(await toParams(searchParams));
  return (
    <Seeded
      topics={[
        { kind: 'ledger', ns, name },
        { kind: 'ledger-page', ns, name, query },
      ]}
    >
      <LedgerScreen ns={ns} name={name} />
    </Seeded>
  );
}
