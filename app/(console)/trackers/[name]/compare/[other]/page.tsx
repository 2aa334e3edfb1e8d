import type { Metadata } from 'next';
import { CompareScreen } from '@/components/trackers/compare-screen';

interface Props {
  params: Promise<{ name: string; other: string }>;
}

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { name, other } = await params;
  return { title: `${name} → ${other}` };
}

export default async function ComparePage({ params }: Props) {
  const { name, other } = await params;
  return <CompareScreen from={name} to={other} />;
}
