'use client';

import { useQuery } from '@tanstack/react-query';
import { ArrowRight, TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { Button } from '@/components/ui/button';
import { cx } from '@/components/ui/cx';
import { Empty } from '@/components/ui/data/empty';
import type { GarbageVerdict } from '@/components/ui/data/garbage-list';
import { GarbageList, VERDICT_LOOK } from '@/components/ui/data/garbage-list';
import { QueryView } from '@/components/ui/data/query-view';
import { SkeletonRows } from '@/components/ui/data/skeleton';
import { PageHead } from '@/components/ui/page-head';
import { Panel } from '@/components/ui/panel';
import { TONE_TEXT } from '@/components/ui/status/tone';
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
            <span className="break-all">{from}</span>
            <ArrowRight size={16} aria-label="compared with" className="text-ink-3" />
            <span className="break-all text-accent">{to}</span>
          </>
        }
        note={<span className="text-ink-3">What collecting the first in favour of the second does. Looking changes nothing.</span>}
        actions={
          <Button onClick={() => void compared.refetch()} pending={compared.isFetching ? 'Comparing…' : null}>
            Compare again
          </Button>
        }
      />
      <QueryView
        query={compared}
        awaits={`Comparing ${from} with ${to}.`}
        pending={
          <Panel>
            <SkeletonRows columns={3} />
          </Panel>
        }
        isEmpty={(view) => view.rows.length === 0}
        empty={
          <Panel>
            <Empty title="Both are empty">Neither tracker lists an object.</Empty>
          </Panel>
        }
      >
        {(view) => <CompareView view={view} />}
      </QueryView>
    </>
  );
}

function CompareView({ view }: { readonly view: GarbageView }) {
  const [only, setOnly] = useState<GarbageVerdict | null>(null);
  const order = (verdict: GarbageVerdict) => Object.keys(VERDICT_LOOK).indexOf(verdict);
  const rows = view.rows.filter((row) => only === null || row.verdict === only).toSorted((a, b) => order(a.verdict) - order(b.verdict));
  return (
    <div className="space-y-4">
      {view.refused ? (
        <p role="status" className="flex items-start gap-2 rounded-lg bg-warn-soft px-4 py-2.5 text-warn">
          <TriangleAlert size={15} aria-hidden className="mt-[2.5px] shrink-0" />
          <span>
            <strong className="font-semibold">It would not be done as it stands.</strong> {view.refused}
          </span>
        </p>
      ) : null}
      <fieldset aria-label="Show only" className="grid grid-cols-3 gap-2 sm:grid-cols-6">
        {GARBAGE_VERDICTS.map((verdict) => {
          const { word, tone, icon: Icon } = VERDICT_LOOK[verdict];
          const count = view.counts[verdict] ?? 0;
          return (
            <button
              key={verdict}
              type="button"
              aria-pressed={only === verdict}
              onClick={() => setOnly(only === verdict ? null : verdict)}
              className={cx('rounded-lg border bg-panel px-3 py-2 text-left shadow-panel hover:bg-hover', only === verdict && 'border-accent')}
            >
              <span className={cx('flex items-center gap-1.5 text-xs', count > 0 ? TONE_TEXT[tone] : 'text-ink-3')}>
                <Icon size={13} aria-hidden />
                {word}
              </span>
              <span className={cx('mt-0.5 block font-semibold text-xl', count === 0 && 'text-ink-3')}>{count}</span>
            </button>
          );
        })}
      </fieldset>
      <Panel title="Object by object" note={only === null ? 'what is lost comes first' : `only ${VERDICT_LOOK[only].word.toLowerCase()}`}>
        {rows.length === 0 ? <p className="px-4 py-6 text-ink-3">No object has that verdict.</p> : <GarbageList label="Objects" rows={rows} />}
      </Panel>
    </div>
  );
}
