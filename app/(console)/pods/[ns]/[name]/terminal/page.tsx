import type { Metadata } from 'next';
import { TerminalScreen } from '@/components/terminal/terminal-screen';
import { t } from '@/lib/words/catalogue/console/pages';
import { showHidden } from '@/lib/words/show-hidden';
import { requireReads } from '../../../../../reads';

interface Props {
  params: Promise<{ ns: string; name: string }>;
}

/** The title of the window: in which pod it is. */
export async function generateMetadata({ params }: Props): Promise<Metadata> {
  return { title: t.terminalIn(showHidden((await params).name)) };
}

/** A shell in a container of a pod; opened by the page itself, as the person. */
export default async function TerminalPage({ params }: Props) {
  await requireReads();
  const { ns, name } = await params;
  return <TerminalScreen ns={ns} pod={name} />;
}
