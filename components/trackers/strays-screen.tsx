'use client';

import { Unlink } from 'lucide-react';
import { useListUrl } from '@/components/live/address/list-url';
import { Ago } from '@/components/live/ago';
import { ListPanel } from '@/components/live/list-panel';
import { asSentence } from '@/components/ui/as-sentence';
import { Badge } from '@/components/ui/badge';
import { CopyButton } from '@/components/ui/copy-button';
import type { Column } from '@/components/ui/data/data-table';
import { Empty } from '@/components/ui/data/empty';
import { PageHead } from '@/components/ui/page-head';
import type { Tone } from '@/components/ui/status/tone';
import { Sentence } from '@/components/ui/time/sentence';
import { keepFlags } from '@/components/ui/words/keep-flags';
import type { StrayRow } from '@/lib/contract/tracker-rows';
import { STRAY_STATES } from '@/lib/contract/tracker-rows';
import { t } from '@/lib/words/catalogue/delivery/trackers';
import { trackerQueries } from './tracker-queries';

const STATE_STYLE: Readonly<Record<StrayRow['state'], { readonly tone: Tone; readonly word: string }>> = {
  gone: { tone: 'warn', word: t.applicationDeleted },
  there: { tone: 'idle', word: t.applicationExists },
};
const STATE_FILTER = {
  label: t.application,
  any: t.anyApplication,
  options: STRAY_STATES.map((state) => ({ id: state, word: STATE_STYLE[state].word })),
};

const COLUMNS: readonly Column<StrayRow>[] = [
  { id: 'name', head: t.object, sort: 'name', cell: (row) => <ObjectName row={row} /> },
  {
    id: 'application',
    head: t.labelledFor,
    sort: 'application',
    className: 'min-w-44 max-w-64 wrap-anywhere',
    cell: (row) => <Owner row={row} />,
  },
  { id: 'why', head: t.whyAndHowToDelete, className: 'min-w-96 wrap-anywhere', cell: (row) => <WayOut row={row} /> },
  { id: 'createdAt', head: t.created, sort: 'created', numeric: true, className: 'text-ink-3', cell: (row) => <Ago at={row.createdAt} /> },
];

/** Objects that were made for an application and that no tracker lists. Slipway never touches them; a person may. */
export function StraysScreen() {
  const url = useListUrl();
  return (
    <>
      <PageHead
        breadcrumbs={[{ label: t.trackers, href: '/trackers' }]}
        title={t.strays}
        note={<span className="text-ink-3">{t.objectsOfTheWatchedKinds}</span>}
      />
      <ListPanel
        noun={t.straysInline}
        url={url}
        rows={trackerQueries.strays(url.query)}
        columns={COLUMNS}
        filter={STATE_FILTER}
        card={(row) => <StrayCard row={row} />}
        of="trackers"
        empty={(isFiltered, { stale }) => <NoStrays filtered={isFiltered} stale={stale?.reason} />}
      />
    </>
  );
}

interface NoStraysProps {
  readonly filtered: boolean;
  /** Why the list may be out of date; undefined while it is fresh. */
  readonly stale: string | undefined;
}

/** While the cluster is not known whole, that no stray is listed does not say that there is none. */
function NoStrays({ filtered, stale }: NoStraysProps) {
  if (filtered) return <Empty title={t.noStrayMatches}>{t.changeTheSearchOrThe}</Empty>;
  if (stale !== undefined) return <Empty title={t.noStraysAreKnown}>{t.theListMayBeOut(asSentence(stale))}</Empty>;
  return (
    <Empty icon={<Unlink size={17} aria-hidden />} title={t.noStrays}>
      {t.everythingWithTheLabelsOf}
    </Empty>
  );
}

function ObjectName({ row }: { readonly row: StrayRow }) {
  return (
    <>
      <span className="line-clamp-4 max-w-72 font-medium">{row.name}</span>
      <span className="block text-ink-3 text-xs">
        {row.kind}
        {row.ns === null ? '' : t.inAfter(row.ns)}
      </span>
    </>
  );
}

function Owner({ row }: { readonly row: StrayRow }) {
  return (
    <>
      {row.application} <span className="text-ink-3">{t.in(row.applicationNs ?? '')}</span>
      <span className="mt-0.5 block">
        <Badge tone={STATE_STYLE[row.state].tone}>{STATE_STYLE[row.state].word}</Badge>
      </span>
    </>
  );
}

function WayOut({ row }: { readonly row: StrayRow }) {
  return (
    <>
      <span className="block text-ink-2 first-letter:uppercase">
        <Sentence text={`${row.why}.`} />
      </span>
      {row.command !== null && (
        <span className="mt-1 flex items-start gap-2">
          <code className="min-w-0 flex-1 select-all rounded-sm bg-sunken px-2 py-1 font-mono text-ink-2 text-xs wrap-anywhere">
            {keepFlags(row.command)}
          </code>
          <CopyButton text={row.command} what={t.theCommandFor(row.kind, row.name)} isSmall />
        </span>
      )}
    </>
  );
}

function StrayCard({ row }: { readonly row: StrayRow }) {
  return (
    <>
      <ObjectName row={row} />
      <p className="mt-1 text-xs">
        <Owner row={row} />
      </p>
      <div className="mt-1 text-xs">
        <WayOut row={row} />
      </div>
    </>
  );
}
