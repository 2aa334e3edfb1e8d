'use client';

import { useQuery } from '@tanstack/react-query';
import { ArrowRight, TriangleAlert } from 'lucide-react';
import { useChangeUrl } from '@/components/live/change-url';
import { Button } from '@/components/ui/button';
import { ChangePanel } from '@/components/ui/data/change-panel';
import { Empty } from '@/components/ui/data/empty';
import { QueryView } from '@/components/ui/data/query-view';
import { SkeletonPanels } from '@/components/ui/data/skeleton';
import { PageHead } from '@/components/ui/page-head';
import { Panel } from '@/components/ui/panel';
import { Sentence } from '@/components/ui/time/sentence';
import { countChanges, pageChanges } from '@/lib/contract/change-rows';
import type { GarbageView } from '@/lib/contract/tracker-rows';
import { GARBAGE_VERDICTS } from '@/lib/contract/tracker-rows';
import { trackerQueries } from './tracker-queries';

/** Two trackers side by side: what is kept, handed over, deleted and new, and why. */
export function CompareScreen({ from, to }: { readonly from: string; readonly to: string }) {
  const compared = useQuery(trackerQueries.compare(from, to));
  return (
    <>
      <PageHead
        trail={[
          { label: 'Trackers', href: '/trackers' },
          { label: from, href: `/trackers/${from}` },
        ]}
        title={
          <>
            <span className="wrap-anywhere">{from}</span>
            <ArrowRight size={16} aria-label="compared with" className="text-ink-3" />
            <span className="text-accent wrap-anywhere">{to}</span>
          </>
        }
        note={<span className="text-ink-3">What garbage collection would delete from the first once the second is applied. Comparing changes nothing.</span>}
        actions={
          <Button onClick={() => void compared.refetch()} pending={compared.isFetching ? 'Comparing…' : null}>
            Compare again
          </Button>
        }
      />
      <QueryView
        query={compared}
        isPage
        awaits={`Comparing ${from} with ${to}.`}
        pending={<SkeletonPanels shape={[[8, 3]]} />}
        isEmpty={(view) => view.rows.length === 0}
        empty={
          <Panel>
            <Empty title="Both are empty">Neither tracker lists any objects.</Empty>
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
      {view.refused ? (
        <p role="status" className="flex items-start gap-2 rounded-lg bg-warn-soft px-4 py-2.5 text-warn">
          <TriangleAlert size={15} aria-hidden className="mt-[2.5px] shrink-0" />
          <span>
            <strong className="font-semibold">This plan would not be carried out.</strong> <Sentence text={view.refused} />
          </span>
        </p>
      ) : null}
      <ChangePanel
        title="Object by object"
        verdicts={GARBAGE_VERDICTS}
        counted={countChanges(view.rows)}
        query={query}
        onQuery={change}
        rows={page.rows}
        total={page.total}
      />
    </div>
  );
}
