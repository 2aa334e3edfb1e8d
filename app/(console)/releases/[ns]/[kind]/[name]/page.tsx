import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { ReleaseScreen } from '@/components/releases/release-screen';
import { RELEASE_KIND_NAMES } from '@/lib/contract/release-kind';
import { Seeded } from '../../../../../reads';

interface Props {
  params: Promise<{ ns: string; kind: string; name: string }>;
}

/** The title of the window: which release it is. */
export async function generateMetadata({ params }: Props): Promise<Metadata> {
  return { title: (await params).name };
}

/** One Helm release, read before the first paint. */
export default async function ReleasePage({ params }: Props) {
  const { ns, kind: written, name } = await params;
  const kind = RELEASE_KIND_NAMES.find((known) => known === written) ?? notFound();
  return (
    <Seeded topics={[{ kind: 'release', ns, of: kind, name }]}>
      <ReleaseScreen place={{ ns, kind, name }} />
    </Seeded>
  );
}
