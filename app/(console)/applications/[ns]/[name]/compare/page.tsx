import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { CompareRevisionsScreen } from '@/components/applications/changes/compare-revisions-screen';
import { t } from '@/lib/words/catalogue/console/pages';
import { showHidden } from '@/lib/words/show-hidden';
import { Seeded } from '../../../../../reads';

interface Props {
  params: Promise<{ ns: string; name: string }>;
  searchParams: Promise<{ from?: string | string[]; to?: string | string[] }>;
}

/** The title of the window: whose revisions are compared. */
export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { name } = await params;
  return { title: t.revisionsOf(showHidden(name)) };
}

/** Two revisions of an application side by side, named in the address. */
export default async function CompareRevisionsPage({ params, searchParams }: Props) {
  const { ns, name } = await params;
  const { from, to } = await searchParams;
  if (typeof from !== 'string' || typeof to !== 'string') notFound();
  return (
    <Seeded topics={[{ kind: 'application', ns, name }]}>
      <CompareRevisionsScreen ns={ns} name={name} from={from} to={to} />
    </Seeded>
  );
}
