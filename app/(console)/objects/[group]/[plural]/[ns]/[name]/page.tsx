import type { Metadata } from 'next';
import { ObjectScreen } from '@/components/objects/object-screen';
import { parseObjectPage } from '@/lib/contract/object-address';
import { showHidden } from '@/lib/words/show-hidden';
import type { SearchParams } from '../../../../../../search-params';

interface Props {
  params: Promise<{ group: string; plural: string; ns: string; name: string }>;
  searchParams: SearchParams;
}

/** The title of the window: which object it is. */
export async function generateMetadata({ params }: Props): Promise<Metadata> {
  return { title: showHidden(decodeURIComponent((await params).name)) };
}

/** One object of any kind. */
export default async function ObjectPage({ params, searchParams }: Props) {
  const { version } = await searchParams;
  return <ObjectScreen at={parseObjectPage(await params, typeof version === 'string' ? version : undefined)} />;
}
