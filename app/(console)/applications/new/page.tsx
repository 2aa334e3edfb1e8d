import type { Metadata } from 'next';
import { NewApplicationScreen } from '@/components/editor/editor-screen';
import { t } from '@/lib/words/catalogue/console/pages';

export const metadata: Metadata = { title: t.newApplication };

/** A new application, written as text. */
export default function NewApplicationPage() {
  return <NewApplicationScreen />;
}
