import type { Metadata } from 'next';
import { CompareScreen } from '@/components/trackers/compare-screen';
import { showHidden } from '@/lib/words/show-hidden';

interface Props {
  params: Promise<{ name: string; other: string }>;
}

/** The title of the window: which two trackers are compared. */
export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { name, other } = await params;
  return { title: showHidden(`${name} → ${other}`) };
}

/** Two trackers side by side. */
export default async function ComparePage({ params }: Props) {
  const { name, other } = await params;
  return <CompareScreen from={name} to={other} />;
}
