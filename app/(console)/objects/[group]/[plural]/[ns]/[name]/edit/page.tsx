import type { Metadata } from 'next';
import { EditObjectScreen } from '@/components/objects/edit/edit-object-screen';
import { parseObjectPage } from '@/lib/contract/object-address';
import { t } from '@/lib/words/catalogue/console/pages';
import { showHidden } from '@/lib/words/show-hidden';
import type { SearchParams } from '../../../../../../../search-params';

interface Props {
  params: Promise<{ group: string; plural: string; ns: string; name: string }>;
  searchParams: SearchParams;
}

/** The title of the window: which object is edited. */
export async function generateMetadata({ params }: Props): Promise<Metadata> {
  return { title: t.edit(showHidden(decodeURIComponent((await params).name))) };
}

/** One object of any kind as text, to change it. */
export default async function EditObjectPage({ params, searchParams }: Props) {
  const { version } = await searchParams;
  return <EditObjectScreen at={parseObjectPage(await params, typeof version === 'string' ? version : undefined)} />;
}
