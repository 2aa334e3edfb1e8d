import type { Metadata } from 'next';
import { SessionsScreen } from '@/components/session/sessions-screen';
import { t } from '@/lib/words/catalogue/console/pages';
import { requireReads } from '../../reads';

export const metadata: Metadata = { title: t.sessions };

/** Who is signed in where. */
export default async function SessionsPage() {
  await requireReads();
  return <SessionsScreen />;
}
