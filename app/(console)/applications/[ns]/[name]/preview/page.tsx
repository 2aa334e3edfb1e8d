import type { Metadata } from 'next';
import { PreviewScreen } from '@/components/applications/changes/preview-screen';
import { t } from '@/lib/words/catalogue/console/pages';
import { showHidden } from '@/lib/words/show-hidden';
import { Seeded } from '../../../../../reads';

interface Props {
  params: Promise<{ ns: string; name: string }>;
}

/** The title of the window: whose collection waits. */
export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { name } = await params;
  return { title: t.pendingDeletionsOf(showHidden(name)) };
}

/** What waits to be collected of an application. */
export default async function PreviewPage({ params }: Props) {
  const { ns, name } = await params;
  return (
    <Seeded topics={[{ kind: 'application', ns, name }]} rights={[{ kind: 'application', ns, name }]}>
      <PreviewScreen ns={ns} name={name} />
    </Seeded>
  );
}
