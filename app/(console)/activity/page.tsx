import type { Metadata } from 'next';
import { ActivityScreen } from '@/components/activity/activity-screen';
import { t } from '@/lib/words/catalogue/console/pages';
import { Seeded } from '../../reads';

export const metadata: Metadata = { title: t.activity };

/** The record of who did what. */
export default function ActivityPage() {
  return (
    <Seeded topics={[{ kind: 'activity', query: {} }]}>
      <ActivityScreen />
    </Seeded>
  );
}
