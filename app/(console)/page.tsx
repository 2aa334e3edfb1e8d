import type { Metadata } from 'next';
import { InboxScreen } from '@/components/inbox/inbox-screen';
import { t } from '@/lib/words/catalogue/console/pages';
import { Seeded } from '../reads';

export const metadata: Metadata = { title: t.inbox };

/** Home: what needs a person. */
export default function InboxPage() {
  return (
    <Seeded topics={[{ kind: 'inbox' }]}>
      <InboxScreen />
    </Seeded>
  );
}
