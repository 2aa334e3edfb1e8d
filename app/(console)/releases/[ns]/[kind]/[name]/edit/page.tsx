import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { EditReleaseScreen } from '@/components/releases/edit/edit-release-screen';
import { RELEASE_KIND_NAMES } from '@/lib/contract/release-kind';
import { t } from '@/lib/words/catalogue/console/pages';
import { showHidden } from '@/lib/words/show-hidden';
import { Seeded } from '../../../../../../reads';

interface Props {
  params: Promise<{ ns: string; kind: string; name: string }>;
}

/** The title of the window: which release is edited. */
export async function generateMetadata({ params }: Props): Promise<Metadata> {
  return { title: t.edit(showHidden((await params).name)) };
}

/** The values of a Helm release, to change them. */
export default async function EditReleasePage({ params }: Props) {
  const { ns, kind: written, name } = await params;
  const kind = RELEASE_KIND_NAMES.find((known) => known === written) ?? notFound();
  return (
    <Seeded topics={[{ kind: 'release', ns, of: kind, name }]}>
      <EditReleaseScreen place={{ ns, kind, name }} />
    </Seeded>
  );
}
