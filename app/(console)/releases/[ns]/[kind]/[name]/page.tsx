import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { FluxReleaseScreen } from '@/components/releases/flux/flux-release-screen';
import { FluxSourceScreen } from '@/components/releases/flux/flux-source-screen';
import { ReleaseScreen } from '@/components/releases/release-screen';
import { FLUX_KIND_NAMES, FLUX_RELEASE } from '@/lib/contract/flux-kind';
import { RELEASE_KIND_NAMES } from '@/lib/contract/release-kind';
import { showHidden } from '@/lib/words/show-hidden';
import { Seeded } from '../../../../../reads';

interface Props {
  params: Promise<{ ns: string; kind: string; name: string }>;
}

/** The title of the window: which release it is. */
export async function generateMetadata({ params }: Props): Promise<Metadata> {
  return { title: showHidden((await params).name) };
}

/** One Helm release, or what Flux gets charts from, read before the first paint. */
export default async function ReleasePage({ params }: Props) {
  const { ns, kind: written, name } = await params;
  const flux = FLUX_KIND_NAMES.find((known) => known === written);
  if (flux !== undefined) {
    return (
      <Seeded topics={[{ kind: 'flux', ns, of: flux, name }]}>
        {flux === FLUX_RELEASE ? <FluxReleaseScreen place={{ ns, name }} /> : <FluxSourceScreen place={{ ns, kind: flux, name }} />}
      </Seeded>
    );
  }
  const kind = RELEASE_KIND_NAMES.find((known) => known === written) ?? notFound();
  return (
    <Seeded topics={[{ kind: 'release', ns, of: kind, name }]}>
      <ReleaseScreen place={{ ns, kind, name }} />
    </Seeded>
  );
}
