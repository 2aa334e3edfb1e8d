import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { CompareRevisionsScreen } from '@/components/applications/compare-revisions-screen';
import { Seeded } from '../../../../../reads';

interface Props {
  params: Promise<{ ns: string; name: string }>;
  searchParams: Promise<{ from?: string | string[]; to?: string | string[] }>;
}

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { name } = await params;
  return { title: `Revisions of ${name}` };
}

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
