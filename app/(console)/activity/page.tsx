import type { Metadata } from 'next';
import { ActivityScreen } from '@/components/activity/activity-screen';
import { Seeded } from '../../reads';

export const metadata: Metadata = { title: 'Activity' };

/** The record of who did what. */
export default function ActivityPage() {
  return (
    <Seeded topics={[{ kind: 'activity', query: {} }]}>
      <ActivityScreen />
    </Seeded>
  );
}
