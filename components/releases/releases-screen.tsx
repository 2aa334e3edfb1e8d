'use client';

import { Ship } from 'lucide-react';
import Link from 'next/link';
import { useListUrl } from '@/components/live/address/list-url';
import { Ago, Elapsed } from '@/components/live/ago';
import { METADATA_COLUMNS } from '@/components/live/filters/metadata-columns';
import { ListPanel } from '@/components/live/list-panel';
import { RowCard } from '@/components/live/table/row-card';
import { useLiveWindow } from '@/components/live/use-live-topic';
import { Badge } from '@/components/ui/badge';
import type { Column } from '@/components/ui/data/data-table';
import { Empty } from '@/components/ui/data/empty';
import { PageHead } from '@/components/ui/page-head';
import { ReleaseKindBadge } from '@/components/ui/status/release-kind-badge';
import { ReleaseMark } from '@/components/ui/status/release-mark';
import { RELEASE_STYLE } from '@/components/ui/status/tone';
import { ShortSentence } from '@/components/ui/time/sentence';
import { rich } from '@/components/ui/words/rich';
import type { ReleaseRow } from '@/lib/contract/release-rows';
import { lineOf, RELEASE_STATES } from '@/lib/contract/release-state';
import { t } from '@/lib/words/catalogue/releases/releases';
import { formatList } from '@/lib/words/figures';
import { formatOutcome } from '@/lib/words/format-reconcile';
import { shortRevision } from '@/lib/words/format-release';
import { formatHidden } from '@/lib/words/releases/format-hidden';
import { releaseQueries } from './release-queries';
import { UndeclaredReleases } from './undeclared-releases';

const STATE_FILTER = {
  label: t.state,
  any: t.anyState,
  options: RELEASE_STATES.map((state) => ({ id: state, word: RELEASE_STYLE[state].word })),
};

const COLUMNS: readonly Column<ReleaseRow>[] = [
  { id: 'name', head: t.release, sort: 'name', cell: (row) => <ReleaseName row={row} /> },
  { id: 'state', head: t.state, sort: 'state', cell: (row) => <StateCell row={row} /> },
  { id: 'chart', head: t.chart, sort: 'chart', cell: (row) => <ChartCell row={row} /> },
  { id: 'revision', head: t.commitOrVersion, className: 'max-w-44 @6xl:max-w-52', cell: (row) => <RevisionCell row={row} /> },
  {
    id: 'sentence',
    head: t.now,
    className: 'max-w-48 @6xl:max-w-72',
    cell: (row) => <ShortSentence text={lineOf(row)} />,
  },
  { id: 'lastAct', head: t.lastAct, sort: 'acted', className: 'text-ink-3', cell: (row) => <LastAct row={row} /> },
  { id: 'next', head: t.nextCheck, sort: 'next', numeric: true, className: 'text-ink-3', cell: (row) => <NextCheck row={row} /> },
  ...METADATA_COLUMNS,
];

/** Every Helm release that one may see: those that resources declare, and below them those that nothing declares. */
export function ReleasesScreen() {
  const url = useListUrl();
  return (
    <>
      <PageHead title={t.releases} note={<ReleasesNote />} />
      <ListPanel
        noun={t.releasesInline}
        url={url}
        rows={releaseQueries.list(url.query)}
        columns={COLUMNS}
        marked="releases"
        filter={STATE_FILTER}
        hrefOf={(row) => `/releases/${row.key}`}
        card={(row) => <ReleaseCard row={row} />}
        of="releases"
        empty={(isFiltered) => <NoReleases filtered={isFiltered} />}
      />
      <HiddenReleases rows={releaseQueries.list(url.query)} />
      <UndeclaredReleases ns={url.query.ns?.join(',')} />
    </>
  );
}

/** Which sorts of releases are not listed because the person may not see them: the others in the list say nothing of that. */
function HiddenReleases({ rows }: { readonly rows: ReturnType<typeof releaseQueries.list> }) {
  return formatHidden(useLiveWindow(rows).data ?? {}).map((sentence) => (
    <p key={sentence} role="note" className="mt-2 px-1 text-pretty text-ink-3 text-xs">
      {sentence}
    </p>
  ));
}

function ReleasesNote() {
  return (
    <span className="text-ink-3">
      {rich(
        t.helmReleasesThatResourcesDeclare(
          <Link href="/releases/sources" className="rounded-sm underline decoration-line-strong underline-offset-2 hover:text-ink">
            {t.sources}
          </Link>,
        ),
      )}
    </span>
  );
}

function NoReleases({ filtered }: { readonly filtered: boolean }) {
  if (filtered) return <Empty title={t.noReleaseMatches}>{t.changeTheSearchOrThe}</Empty>;
  return (
    <Empty icon={<Ship size={17} aria-hidden />} title={t.noReleasesYet}>
      {rich(
        t.aOrDeclaresAHelm(
          <code className="font-mono text-xs">HelmRelease</code>,
          <code className="font-mono text-xs">FluxHelmRelease</code>,
        ),
      )}
    </Empty>
  );
}

function ReleaseName({ row }: { readonly row: ReleaseRow }) {
  return (
    <>
      {row.name} <span className="font-normal text-ink-3">{row.ns}</span>
      <ReleaseKindBadge kind={row.kind} />
    </>
  );
}

function StateCell({ row: { state, flux } }: { readonly row: ReleaseRow }) {
  return (
    <span className="inline-flex flex-wrap items-center gap-x-2 align-top">
      <ReleaseMark state={state} />
      {flux?.suspended && state !== 'suspended' ? <Badge tone="odd">{t.suspended}</Badge> : null}
    </span>
  );
}

/** Flux does not tell when it looks next, only how often it does. */
function NextCheck({ row: { nextCheckAt, flux } }: { readonly row: ReleaseRow }) {
  if (flux === null) return <Elapsed until={nextCheckAt} />;
  return <span className="whitespace-nowrap">{flux.suspended || flux.interval === null ? '–' : t.every(flux.interval)}</span>;
}

function ChartCell({ row: { chart } }: { readonly row: ReleaseRow }) {
  if (chart === null) return <span className="text-ink-3">–</span>;
  return (
    <span className="whitespace-nowrap">
      {chart.name} <span className="text-ink-3">{chart.version}</span>
    </span>
  );
}

/** The commit of the chart that is released, with its subject and its age; the commit of the branch that it was compared at is told on hover. */
function RevisionCell({ row: { revision, commit } }: { readonly row: ReleaseRow }) {
  if (revision === null) return <span className="text-ink-3">–</span>;
  const hash = (
    <code
      title={commit === null || commit.commit === revision ? revision : t.comparedAt(commit.commit, revision)}
      className="font-mono text-xs"
    >
      {shortRevision(commit?.commit ?? revision)}
    </code>
  );
  if (commit === null) return hash;
  const { subject, author, at } = commit;
  return (
    <span className="block min-w-0">
      <span className="block truncate" title={t.subjectOf(subject, author)}>
        {hash} {subject}
      </span>
      <span className="block text-ink-3 text-xs">{rich(t.authorAgo(author, <Ago at={at} />))}</span>
    </span>
  );
}

/** What was done last, by which loop, and whose decision that was. */
function LastAct({ row: { lastAct } }: { readonly row: ReleaseRow }) {
  if (lastAct === null) return <span>–</span>;
  const { outcome, at, by, users } = lastAct;
  return (
    <span className="block">
      <span className="whitespace-nowrap">
        {formatOutcome(outcome)} <Ago at={at} />
      </span>
      {by === null ? null : <span className="block text-xs">{users.length === 0 ? t.byOf(by) : t.byLoopOf(by, formatList(users))}</span>}
    </span>
  );
}

function ReleaseCard({ row }: { readonly row: ReleaseRow }) {
  return (
    <RowCard name={<ReleaseName row={row} />} mark={<ReleaseMark state={row.state} className="text-xs" />} sentence={lineOf(row)}>
      <div className="mt-1.5 flex flex-wrap items-center gap-x-3 text-ink-3 text-xs">
        {row.chart === null ? null : <ChartCell row={row} />}
        {row.lastAct === null ? null : <LastAct row={row} />}
      </div>
      {row.commit === null ? null : (
        <div className="mt-1 text-xs">
          <RevisionCell row={row} />
        </div>
      )}
    </RowCard>
  );
}
