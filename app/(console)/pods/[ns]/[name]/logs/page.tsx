import type { Metadata } from 'next';
import { LogsScreen } from '@/components/logs/logs-screen';
import { t } from '@/lib/words/catalogue/console/pages';
import { showHidden } from '@/lib/words/show-hidden';
import { requireReads } from '../../../../../reads';

interface Props {
  params: Promise<{ ns: string; name: string }>;
}

/** The title of the window: whose log it is. */
export async function generateMetadata({ params }: Props): Promise<Metadata> {
  return { title: t.logsOf(showHidden((await params).name)) };
}

/** What the containers of one pod write; read by the page itself, as the person. */
export default async function PodLogsPage({ params }: Props) {
  await requireReads();
  const { ns, name } = await params;
  return <LogsScreen place={{ ns, pod: name }} />;
}
