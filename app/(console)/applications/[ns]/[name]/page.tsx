import type { Metadata } from 'next';
import { ApplicationScreen } from '@/components/applications/application-screen';
import { Seeded } from '../../../../reads';

interface Props {
  params: Promise<{ ns: string; name: string }>;
}

/** The title of the window: which application it is. */
export async function generateMetadata({ params }: Props): Promise<Metadata> {
  return { title: (await params).name };
}

/** One application, read before the first paint. */
export default async function ApplicationPage({ params }: Props) {
  const { ns, name } = await params;
  return (
    <Seeded topics={[{ kind: 'application', ns, name }]} rights={[{ kind: 'application', ns, name }]}>
      <ApplicationScreen ns={ns} name={name} />
    </Seeded>
  );
}
