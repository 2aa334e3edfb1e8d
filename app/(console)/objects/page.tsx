import type { Metadata } from 'next';
import { KindsScreen } from '@/components/objects/kinds-screen';
import { t } from '@/lib/words/catalogue/console/pages';

export const metadata: Metadata = { title: t.objects };

/** The kinds of the cluster that the person may list. */
export default function ObjectsPage() {
  return <KindsScreen />;
}
