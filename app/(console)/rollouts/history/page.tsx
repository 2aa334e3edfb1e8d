import type { Metadata } from 'next';
import { HistoryScreen } from '@/components/history/history-screen';
import { t } from '@/lib/words/catalogue/console/pages';
import { requireReads } from '../../../reads';

export const metadata: Metadata = { title: t.historyOfRollouts };

/** The rollouts of the last weeks, from the record. */
export default async function HistoryPage() {
  await requireReads();
  return <HistoryScreen />;
}
