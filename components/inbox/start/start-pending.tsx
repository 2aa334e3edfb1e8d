import { Skeleton } from '@/components/ui/data/skeleton';
import { Panel } from '@/components/ui/panel';
import { t } from '@/lib/words/catalogue/console/inbox';

/** Its place, so that what is below does not move once it is there. */
export function StartPending() {
  return (
    <Panel title={t.startARollout} note={t.onTheSimulatedCluster}>
      <div aria-busy="true" className="px-4 py-4">
        <Skeleton height="h-80 sm:h-64 lg:h-31" />
      </div>
    </Panel>
  );
}
