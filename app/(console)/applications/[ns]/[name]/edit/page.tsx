import type { Metadata } from 'next';
import { EditorScreen } from '@/components/editor/editor-screen';
import { t } from '@/lib/words/catalogue/console/pages';
import { showHidden } from '@/lib/words/show-hidden';
import { requireReads, Seeded } from '../../../../../reads';

interface Props {
  params: Promise<{ ns: string; name: string }>;
}

/** The title of the window: which application is edited. */
export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { name } = await params;
  return { title: t.edit(showHidden(name)) };
}

/** An application as text, to change it. */
export default async function EditPage({ params }: Props) {
  const { ns, name } = await params;
  const { session } = await requireReads();
  return (
    <Seeded topics={[{ kind: 'application', ns, name }]} rights={[{ kind: 'application', ns, name }]}>
      <EditorScreen ns={ns} name={name} user={session.user} />
    </Seeded>
  );
}
