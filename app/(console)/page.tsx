import type { Metadata } from 'next';
import { InboxScreen } from '@/components/inbox/inbox-screen';
import { parseInboxQuery } from '@/lib/contract/inbox/inbox-query';
import { t } from '@/lib/words/catalogue/console/pages';
import { Seeded } from '../reads';
import type { SearchParams } from '../search-params';
import { toParams } from '../search-params';

export const metadata: Metadata = { title: t.inbox };

/** Home: what needs a person, narrowed as the address says. */
export default async function InboxPage({ searchParams }: { searchParams: SearchParams }) {
  return (
    <Seeded topics={[{ kind: 'inbox', query: parseInboxQuery(await toParams(searchParams)) }]}>
      <InboxScreen />
    </Seeded>
  );
}
