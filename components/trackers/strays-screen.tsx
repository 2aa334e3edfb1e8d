'use client';

import { Unlink } from 'lucide-react';
import { Ago } from '@/components/live/ago';
import { ListPanel } from '@/components/live/list-panel';
import { useListUrl } from '@/components/live/list-url';
import { Badge } from '@/components/ui/badge';
import { CopyButton } from '@/components/ui/copy-button';
import type { Column } from '@/components/ui/data/data-table';
import { Empty } from '@/components/ui/data/empty';
import { PageHead } from '@/components/ui/page-head';
import type { Tone } from '@/components/ui/status/tone';
import { Sentence } from '@/components/ui/time/sentence';
import type { StrayRow } from '@/lib/contract/tracker-rows';
import { STRAY_STATES } from '@/lib/contract/tracker-rows';
import { trackerQueries } from './tracker-queries';

const STATE_LOOK: Readonly<Record<StrayRow['state'], { readonly tone: Tone; readonly word: string }>> = {
  gone: { tone: 'warn', word: 'Application deleted' },
  there: { tone: 'idle', word: 'Application exists' },
};
const STATE_FILTER = { label: 'Application', any: 'Any application', options: STRAY_STATES.map((state) => ({ id: state, word: STATE_LOOK[state].word })) };

const COLUMNS: readonly Column<StrayRow>[] = [
  { id: 'name', head: 'Object', sort: 'name', cell: (row) => <ObjectName row={row} /> },
  { id: 'application', head: 'Labelled for', sort: 'application', className: 'min-w-44 max-w-64 wrap-anywhere', cell: (row) => <Owner row={row} /> },
  { id: 'why', head: 'Why, and how to delete it', className: 'min-w-96 wrap-anywhere', cell: (row) => <WayOut row={row} /> },
  { id: 'createdAt', head: 'Created', sort: 'created', numeric: true, className: 'text-ink-3', cell: (row) => <Ago at={row.createdAt} /> },
];

/** Objects that were made for an application and that no tracker lists. Slipway never touches them; a person may. */
export function StraysScreen() {
  const url = useListUrl();
  return (
    <>
      <PageHead
        trail={[{ label: 'Trackers', href: '/trackers' }]}
        title="Strays"
        note={
          <span className="text-ink-3">
            Objects of the watched kinds that carry the labels of an application but are listed by no tracker. Slipway never deletes them: check each, then run
            its command or leave it.
          </span>
        }
      />
      <ListPanel
        noun="strays"
        url={url}
        rows={trackerQueries.strays(url.query)}
        columns={COLUMNS}
        filter={STATE_FILTER}
        card={(row) => <StrayCard row={row} />}
        empty={(isFiltered) => <NoStrays filtered={isFiltered} />}
      />
    </>
  );
}

function NoStrays({ filtered }: { readonly filtered: boolean }) {
  if (filtered) return <Empty title="No stray matches">Change the search or the filters above.</Empty>;
  return (
    <Empty icon={<Unlink size={17} aria-hidden />} title="No strays">
      Everything with the labels of an application is listed by a tracker, as far as its kind is watched. A kind is watched once a tracker lists an object of
      it.
    </Empty>
  );
}

function ObjectName({ row }: { readonly row: StrayRow }) {
  return (
    <>
      <span className="line-clamp-4 max-w-72 font-medium">{row.name}</span>
      <span className="block text-ink-3 text-xs">
        {row.kind}
        {row.ns === null ? '' : ` in ${row.ns}`}
      </span>
    </>
  );
}

function Owner({ row }: { readonly row: StrayRow }) {
  return (
    <>
      {row.application} <span className="text-ink-3">in {row.applicationNs}</span>
      <span className="mt-0.5 block">
        <Badge tone={STATE_LOOK[row.state].tone}>{STATE_LOOK[row.state].word}</Badge>
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
      <span className="mt-1 flex items-start gap-2">
        <code className="min-w-0 flex-1 select-all rounded-sm bg-sunken px-2 py-1 font-mono text-ink-2 text-xs wrap-anywhere">{row.command}</code>
        <CopyButton text={row.command} what={`the command for ${row.kind} ${row.name}`} className="size-6" />
      </span>
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
