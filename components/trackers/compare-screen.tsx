'use client';

import { useQuery } from '@tanstack/react-query';
import { ArrowRight } from 'lucide-react';
import { useChangeUrl } from '@/components/live/address/change-url';
import { Button } from '@/components/ui/button';
import { ChangePanel } from '@/components/ui/data/change-panel';
import { Empty } from '@/components/ui/data/empty';
import { QueryView } from '@/components/ui/data/query-view';
import { SkeletonPanels } from '@/components/ui/data/skeleton';
import { PageHead } from '@/components/ui/page-head';
import { Panel } from '@/components/ui/panel';
import { Warning } from '@/components/ui/status/warning';
import { countChanges, pageChanges } from '@/lib/contract/change-rows';
import type { GarbageView } from '@/lib/contract/tracker-rows';
import { GARBAGE_VERDICTS } from '@/lib/contract/tracker-rows';
import { t } from '@/lib/words/catalogue/delivery/trackers';
import { trackerQueries } from './tracker-queries';

/** Two trackers side by side: what is kept, handed over, deleted and new, and why. */
export function CompareScreen({ from, to }: { readonly from: string; readonly to: string }) {
  const compared = useQuery(trackerQueries.compare(from, to));
  return (
    <>
      <PageHead
        breadcrumbs={[
          { label: t.trackers, href: '/trackers' },
          { label: from, href: `/trackers/${from}` },
        ]}
        title={
          <>
            <span className="wrap-anywhere">{from}</span>
            <ArrowRight size={16} aria-label={t.comparedWith} className="text-ink-3" />
            <span className="text-accent wrap-anywhere">{to}</span>
          </>
        }
        note={<span className="text-ink-3">{t.whatGarbageCollectionWouldDelete}</span>}
        actions={
          <Button onClick={() => void compared.refetch()} pending={compared.isFetching ? t.comparing : null}>
            {t.compareAgain}
          </Button>
        }
      />
      <QueryView
        query={compared}
        isPage
        awaits={t.comparingWith(from, to)}
        pending={<SkeletonPanels shape={[[8, 3]]} />}
        isEmpty={(view) => view.rows.length === 0}
        empty={
          <Panel>
            <Empty title={t.bothAreEmpty}>{t.neitherTrackerListsAnyObjects}</Empty>
          </Panel>
        }
      >
        {(view) => <CompareView view={view} />}
      </QueryView>
    </>
  );
}

function CompareView({ view }: { readonly view: GarbageView }) {
  const { query, change } = useChangeUrl();
  const page = pageChanges(view.rows, query);
  return (
    <div className="space-y-4">
      {view.refused ? <Warning role="status" lead={t.thisPlanWouldNotBe} text={view.refused} /> : null}
      <ChangePanel verdicts={GARBAGE_VERDICTS} counted={countChanges(view.rows)} query={query} onQuery={change} page={page} />
    </div>
  );
}
