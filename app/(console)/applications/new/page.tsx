import type { Metadata } from 'next';
import { NewApplicationScreen } from '@/components/editor/editor-screen';
import { t } from '@/lib/words/catalogue/console/pages';
import { requireReads, Seeded } from '../../../reads';

export const metadata: Metadata = { title: t.newApplication };

/** A new application, written as text. */
export default async function NewApplicationPage() {
  const { session } = await requireReads();
  return (
    <Seeded topics={[]} rights={[{ kind: 'applications' }]}>
      <NewApplicationScreen user={session.user} />
    </Seeded>
  );
}
