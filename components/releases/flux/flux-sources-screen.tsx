'use client';

import { GitBranch } from 'lucide-react';
import { useListUrl } from '@/components/live/address/list-url';
import { Ago } from '@/components/live/ago';
import { METADATA_COLUMNS } from '@/components/live/filters/metadata-columns';
import { ListPanel } from '@/components/live/list-panel';
import { RowCard } from '@/components/live/table/row-card';
import { Badge } from '@/components/ui/badge';
import type { Column } from '@/components/ui/data/data-table';
import { Empty } from '@/components/ui/data/empty';
import { listBreadcrumbs } from '@/components/ui/object-head';
import { PageHead } from '@/components/ui/page-head';
import { ReleaseMark } from '@/components/ui/status/release-mark';
import { RELEASE_STYLE } from '@/components/ui/status/tone';
import type { FluxSourceRow } from '@/lib/contract/flux-rows';
import { t } from '@/lib/words/catalogue/releases/flux';
import { fluxQueries } from './flux-queries';
import { SOURCE_KIND_WORD } from './flux-words';

const STATES = ['failed', 'unknown', 'changing', 'suspended', 'in-sync'] as const;
const STATE_FILTER = { label: t.state, any: t.anyState, options: STATES.map((state) => ({ id: state, word: RELEASE_STYLE[state].word })) };

const COLUMNS: readonly Column<FluxSourceRow>[] = [
  { id: 'name', head: t.source, sort: 'name', cell: (row) => <SourceName row={row} /> },
  { id: 'kind', head: t.kind, sort: 'kind', className: 'text-ink-2', cell: (row) => SOURCE_KIND_WORD[row.kind] },
  { id: 'state', head: t.state, sort: 'state', cell: (row) => <SourceState row={row} /> },
  {
    id: 'url',
    head: t.from,
    className: 'max-w-72',
    cell: (row) => (
      <p className="truncate text-ink-2" title={row.url}>
        {row.url}
        {row.follows === null ? null : <span className="text-ink-3">, {row.follows}</span>}
      </p>
    ),
  },
  {
    id: 'revision',
    head: t.revisionTitle,
    className: 'max-w-56',
    cell: (row) => (
      <code className="block truncate font-mono text-xs" title={row.revision ?? undefined}>
        {row.revision ?? '–'}
      </code>
    ),
  },
  {
    id: 'fetchedAt',
    head: t.lastArtifact,
    sort: 'fetched',
    numeric: true,
    className: 'text-ink-3',
    cell: (row) => <Ago at={row.fetchedAt} />,
  },
  { id: 'interval', head: t.interval, numeric: true, className: 'text-ink-3', cell: (row) => row.interval ?? '–' },
  ...METADATA_COLUMNS,
];

/** Where Flux gets charts from: repositories, and the charts that it takes out of them. */
export function FluxSourcesScreen() {
  const url = useListUrl();
  return (
    <>
      <PageHead
        breadcrumbs={listBreadcrumbs(t.releases, '/releases')}
        title={t.sources}
        note={<span className="text-ink-3">{t.whereFluxGetsChartsFrom}</span>}
      />
      <ListPanel
        noun={t.sourcesInline}
        url={url}
        rows={fluxQueries.sources(url.query)}
        columns={COLUMNS}
        marked="flux-sources"
        filter={STATE_FILTER}
        hrefOf={(row) => `/releases/${row.key}`}
        card={(row) => <SourceCard row={row} />}
        of="sources"
        empty={(isFiltered) => <NoSources filtered={isFiltered} />}
      />
    </>
  );
}

function NoSources({ filtered }: { readonly filtered: boolean }) {
  if (filtered) return <Empty title={t.noSourceMatches}>{t.changeTheSearchOrThe}</Empty>;
  return (
    <Empty icon={<GitBranch size={17} aria-hidden />} title={t.noSources}>
      {t.whereFluxIsInstalledIts}
    </Empty>
  );
}

function SourceName({ row }: { readonly row: FluxSourceRow }) {
  return (
    <>
      {row.name} <span className="font-normal text-ink-3">{row.ns}</span>
    </>
  );
}

function SourceState({ row: { state, suspended } }: { readonly row: FluxSourceRow }) {
  return (
    <span className="inline-flex flex-wrap items-center gap-x-2">
      <ReleaseMark state={state} />
      {suspended && state !== 'suspended' ? <Badge tone="odd">{t.suspended}</Badge> : null}
    </span>
  );
}

function SourceCard({ row }: { readonly row: FluxSourceRow }) {
  return (
    <RowCard name={<SourceName row={row} />} mark={<ReleaseMark state={row.state} className="text-xs" />} sentence={row.sentence}>
      <div className="mt-1.5 flex flex-wrap items-center gap-x-3 text-ink-3 text-xs">
        <span>{SOURCE_KIND_WORD[row.kind]}</span>
        <span className="wrap-anywhere">{row.url}</span>
        <Ago at={row.fetchedAt} />
      </div>
    </RowCard>
  );
}
