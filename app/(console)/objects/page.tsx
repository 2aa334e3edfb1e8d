import type { Metadata } from 'next';
import { KindsScreen } from '@/components/objects/kinds-screen';

export const metadata: Metadata = { title: 'Objects' };

/** The kinds of the cluster that the person may list. */
export default function ObjectsPage() {
  return <KindsScreen />;
}
