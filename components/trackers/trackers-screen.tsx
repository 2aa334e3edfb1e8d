'use client';

import { Layers } from 'lucide-react';
import Link from 'next/link';
import { useListUrl } from '@/components/live/address/list-url';
import { Ago } from '@/components/live/ago';
import { METADATA_COLUMNS } from '@/components/live/filters/metadata-columns';
import { ListPanel } from '@/components/live/list-panel';
import type { Column } from '@/components/ui/data/data-table';
import { Empty } from '@/components/ui/data/empty';
import { PageHead } from '@/components/ui/page-head';
import { Sentence } from '@/components/ui/time/sentence';
import { rich } from '@/components/ui/words/rich';
import type { TrackerRow } from '@/lib/contract/tracker-rows';
import { TRACKER_STATES } from '@/lib/contract/tracker-rows';
import { t } from '@/lib/words/catalogue/delivery/trackers';
import { formatNumber } from '@/lib/words/figures';
import { trackerQueries } from './tracker-queries';
import { STATE_STYLE, TrackerState } from './tracker-state';

const STATE_FILTER = {
  label: t.state,
  any: t.anyState,
  options: TRACKER_STATES.map((state) => ({ id: state, word: STATE_STYLE[state].word })),
};

const COLUMNS: readonly Column<TrackerRow>[] = [
  { id: 'name', head: t.tracker, sort: 'name', cell: (row) => row.name },
  { id: 'state', head: t.state, sort: 'state', cell: (row) => <TrackerState state={row.state} /> },
  {
    id: 'application',
    head: t.application,
    sort: 'application',
    className: 'min-w-44 max-w-80',
    cell: (row) => <ApplicationName row={row} />,
  },
  { id: 'revision', head: t.revisionTitle, className: 'max-w-56 truncate text-ink-2', cell: (row) => row.revision ?? '–' },
  { id: 'objects', head: t.recorded, sort: 'objects', numeric: true, cell: (row) => row.objects },
  { id: 'owned', head: t.ownedNow, sort: 'owned', numeric: true, cell: (row) => row.owned },
  { id: 'waiting', head: t.toBeDeleted, sort: 'waiting', numeric: true, cell: (row) => <Waiting row={row} /> },
  { id: 'createdAt', head: t.created, sort: 'created', numeric: true, className: 'text-ink-3', cell: (row) => <Ago at={row.createdAt} /> },
  ...METADATA_COLUMNS,
];

/** What each revision recorded, and how much of it the revision still owns. */
export function TrackersScreen() {
  const url = useListUrl();
  return (
    <>
      <PageHead title={t.trackers} note={<TrackersNote />} />
      <ListPanel
        noun={t.trackersInline}
        url={url}
        rows={trackerQueries.list(url.query)}
        columns={COLUMNS}
        marked="trackers"
        filter={STATE_FILTER}
        hrefOf={(row) => `/trackers/${row.name}`}
        card={(row) => <TrackerCard row={row} />}
        of="trackers"
        empty={(isFiltered) => <NoTrackers filtered={isFiltered} />}
      />
    </>
  );
}

function TrackersNote() {
  return (
    <span className="text-ink-3">
      {rich(
        t.whatEachRevisionAppliedTo(
          <Link href="/trackers/strays" className="rounded-sm underline decoration-line-strong underline-offset-2 hover:text-ink">
            {t.straysInline.many}
          </Link>,
        ),
      )}
    </span>
  );
}

function NoTrackers({ filtered }: { readonly filtered: boolean }) {
  if (filtered) return <Empty title={t.noTrackerMatches}>{t.changeTheSearchOrThe}</Empty>;
  return (
    <Empty icon={<Layers size={17} aria-hidden />} title={t.noTrackersYet}>
      {t.beforeARevisionAppliesIts}
    </Empty>
  );
}

function ApplicationName({ row }: { readonly row: TrackerRow }) {
  if (row.application === null) return <span className="text-ink-3">{t.unknown}</span>;
  return (
    <span className="wrap-anywhere">
      {row.application} <span className="text-ink-3">{t.in(row.ns ?? '')}</span>
    </span>
  );
}

function Waiting({ row }: { readonly row: TrackerRow }) {
  return row.waiting === 0 ? (
    <span className="text-ink-3">0</span>
  ) : (
    <span className="font-medium text-warn">{formatNumber(row.waiting)}</span>
  );
}

function TrackerCard({ row }: { readonly row: TrackerRow }) {
  return (
    <>
      <div className="flex items-center gap-2">
        <span className="line-clamp-3 min-w-0 flex-1 font-medium wrap-anywhere">{row.name}</span>
        <TrackerState state={row.state} />
      </div>
      <p className="mt-1 text-ink-3 text-xs">
        <ApplicationName row={row} /> {t.recordedOwnedNow(row.objects, row.owned, row.waiting > 0 ? t.toBeDeletedAfter(row.waiting) : '')}
      </p>
      {row.message ? (
        <p className="mt-0.5 text-ink-2">
          <Sentence text={row.message} />
        </p>
      ) : null}
    </>
  );
}
