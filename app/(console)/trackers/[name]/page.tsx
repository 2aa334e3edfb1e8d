import type { Metadata } from 'next';
import { TrackerScreen } from '@/components/trackers/tracker-screen';
import { showHidden } from '@/lib/words/show-hidden';
import { Seeded } from '../../../reads';

interface Props {
  params: Promise<{ name: string }>;
}

/** The title of the window: which tracker it is. */
export async function generateMetadata({ params }: Props): Promise<Metadata> {
  return { title: showHidden((await params).name) };
}

/** One tracker, read before the first paint. */
export default async function TrackerPage({ params }: Props) {
  const { name } = await params;
  return (
    <Seeded topics={[{ kind: 'tracker', name }]}>
      <TrackerScreen name={name} />
    </Seeded>
  );
}
