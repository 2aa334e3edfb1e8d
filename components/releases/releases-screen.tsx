'use client';

import { Ship } from 'lucide-react';
import { Ago, Elapsed } from '@/components/live/ago';
import { ListPanel } from '@/components/live/list-panel';
import { useListUrl } from '@/components/live/list-url';
import { Sentence } from '@/components/live/sentence';
import type { Column } from '@/components/ui/data/data-table';
import { Empty } from '@/components/ui/data/empty';
import { PageHead } from '@/components/ui/page-head';
import { ReleaseMark } from '@/components/ui/status/release-mark';
import { RELEASE_LOOK } from '@/components/ui/status/tone';
import type { ReleaseRow } from '@/lib/contract/release-rows';
import { RELEASE_STATES } from '@/lib/contract/release-state';
import { shortRevision } from '@/lib/words/say-release';
import { releaseQueries } from './release-queries';
import { UndeclaredReleases } from './undeclared-releases';

const STATE_FILTER = { label: 'State', any: 'Any state', options: RELEASE_STATES.map((state) => ({ id: state, word: RELEASE_LOOK[state].word })) };

const COLUMNS: readonly Column<ReleaseRow>[] = [
  { id: 'name', head: 'Release', sort: 'name', cell: (row) => <ReleaseName row={row} /> },
  { id: 'state', head: 'State', sort: 'state', cell: (row) => <ReleaseMark state={row.state} /> },
  { id: 'chart', head: 'Chart', sort: 'chart', cell: (row) => <ChartCell row={row} /> },
  { id: 'revision', head: 'Commit or version', cell: (row) => <RevisionCell row={row} /> },
  {
    id: 'sentence',
    head: 'Now',
    className: 'max-w-80',
    cell: (row) => (
      <p className="truncate text-ink-2" title={row.waits ?? row.sentence}>
        <Sentence text={row.waits ?? row.sentence} />
      </p>
    ),
  },
  { id: 'lastAct', head: 'Last act', sort: 'acted', className: 'text-ink-3', cell: (row) => <LastAct row={row} /> },
  { id: 'next', head: 'Next check', sort: 'next', numeric: true, className: 'text-ink-3', cell: (row) => <Elapsed until={row.nextCheckAt} /> },
];

/** Every Helm release that one may see: those that resources declare, and below them those that nothing declares. */
export function ReleasesScreen() {
  const url = useListUrl();
  return (
    <>
      <PageHead title="Releases" />
      <ListPanel
        noun="releases"
        url={url}
        rows={releaseQueries.list(url.query)}
        columns={COLUMNS}
        filter={STATE_FILTER}
        hrefOf={(row) => `/releases/${row.key}`}
        card={(row) => <ReleaseCard row={row} />}
        empty={(isFiltered) => <NoReleases filtered={isFiltered} />}
      />
      <UndeclaredReleases ns={url.query.ns} />
    </>
  );
}

function NoReleases({ filtered }: { readonly filtered: boolean }) {
  if (filtered) return <Empty title="No release matches">Change the search or the filter above.</Empty>;
  return (
    <Empty icon={<Ship size={17} aria-hidden />} title="No releases yet">
      A <code className="font-mono text-xs">HelmRelease</code> or <code className="font-mono text-xs">FluxHelmRelease</code> declares a Helm release of a chart
      in git or in a repository; from then on it is kept equal to that chart, and you follow it here.
    </Empty>
  );
}

function ReleaseName({ row }: { readonly row: ReleaseRow }) {
  return (
    <>
      {row.name} <span className="font-normal text-ink-3">{row.ns}</span>
    </>
  );
}

function ChartCell({ row: { chart } }: { readonly row: ReleaseRow }) {
  if (chart === null) return <span className="text-ink-3">–</span>;
  return (
    <span className="whitespace-nowrap">
      {chart.name} <span className="text-ink-3">{chart.version}</span>
    </span>
  );
}

function RevisionCell({ row: { revision } }: { readonly row: ReleaseRow }) {
  if (revision === null) return <span className="text-ink-3">–</span>;
  return (
    <code title={revision} className="font-mono text-xs">
      {shortRevision(revision)}
    </code>
  );
}

function LastAct({ row: { lastAct } }: { readonly row: ReleaseRow }) {
  if (lastAct === null) return <span>–</span>;
  return (
    <span title={lastAct.by ? `by ${lastAct.by}` : undefined} className="whitespace-nowrap">
      {lastAct.outcome} <Ago at={lastAct.at} />
    </span>
  );
}

function ReleaseCard({ row }: { readonly row: ReleaseRow }) {
  return (
    <>
      <div className="flex items-center gap-2">
        <span className="line-clamp-3 min-w-0 flex-1 font-medium wrap-anywhere">
          <ReleaseName row={row} />
        </span>
        <ReleaseMark state={row.state} className="text-xs" />
      </div>
      <p className="mt-1 line-clamp-2 text-ink-2">
        <Sentence text={row.waits ?? row.sentence} />
      </p>
      <div className="mt-1.5 flex flex-wrap items-center gap-x-3 text-ink-3 text-xs">
        <ChartCell row={row} />
        <LastAct row={row} />
      </div>
    </>
  );
}
