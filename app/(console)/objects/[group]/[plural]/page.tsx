import type { Metadata } from 'next';
import { TableScreen } from '@/components/objects/table-screen';
import { CORE } from '@/lib/contract/object-address';
import { showHidden } from '@/lib/words/show-hidden';

interface Props {
  params: Promise<{ group: string; plural: string }>;
}

/** The title of the window: which kind it is. */
export async function generateMetadata({ params }: Props): Promise<Metadata> {
  return { title: showHidden(decodeURIComponent((await params).plural)) };
}

/** The objects of one kind; read as the person by the page itself, since nothing of it is kept on the server. */
export default async function KindPage({ params }: Props) {
  const { group, plural } = await params;
  return <TableScreen group={group === CORE ? '' : decodeURIComponent(group)} named={decodeURIComponent(plural)} />;
}
