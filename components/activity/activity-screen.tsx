'use client';

import { useQuery } from '@tanstack/react-query';
import { Activity, Download } from 'lucide-react';
import { useMemo } from 'react';
import { Ago } from '@/components/live/ago';
import { NoMatch } from '@/components/live/filters/no-match';
import { NothingWithin, WithinFooter } from '@/components/live/filters/nothing-within';
import { LiveView } from '@/components/live/live-view';
import { newestFirst } from '@/components/live/newest-first';
import { TableTools } from '@/components/live/table/table-tools';
import { useLiveWindow } from '@/components/live/use-live-topic';
import { asSentence } from '@/components/ui/as-sentence';
import { Button, buttonVariants } from '@/components/ui/button';
import type { Column } from '@/components/ui/data/data-table';
import { DataTable } from '@/components/ui/data/data-table';
import { Empty } from '@/components/ui/data/empty';
import { Pager } from '@/components/ui/data/pager';
import { QueryView } from '@/components/ui/data/query-view';
import { SkeletonRows } from '@/components/ui/data/skeleton';
import { PageHead } from '@/components/ui/page-head';
import { Panel } from '@/components/ui/panel';
import { Sentence } from '@/components/ui/time/sentence';
import { messageOf } from '@/lib/contract/app-error';
import type { Within } from '@/lib/contract/lists/within';
import type { WindowSnapshot } from '@/lib/contract/live';
import type { ActivityQuery } from '@/lib/contract/pages/activity-query';
import { isWholeRecord } from '@/lib/contract/pages/activity-query';
import type { ActivityRow } from '@/lib/contract/system-rows';
import { t } from '@/lib/words/catalogue/console/activity';
import { ActivityEntryDialog } from './activity-entry';
import { ActivityFilters, NO_ACTIVITY_FILTER } from './activity-filters';
import { activityQueries } from './activity-queries';
import type { ActivityChange } from './activity-url';
import { useActivityUrl } from './activity-url';
import { VerifyRecord } from './verify-record';

const columnsOf = (open: (id: string) => void): readonly Column<ActivityRow>[] => [
  { id: 'at', head: t.when, sort: 'at', className: 'w-28 text-ink-3', cell: (row) => <Ago at={row.at} /> },
  { id: 'actor', head: t.who, sort: 'actor', className: 'w-36 min-w-28 font-medium wrap-anywhere', cell: (row) => row.actor },
  { id: 'action', head: t.what, sort: 'action', className: 'w-36 text-ink-2', cell: (row) => row.action },
  { id: 'object', head: t.on, className: 'w-80 min-w-48', cell: (row) => <ObjectName row={row} /> },
  {
    id: 'message',
    head: t.inWords,
    cell: (row) => (
      <button
        type="button"
        onClick={() => open(row.key)}
        className="min-w-48 text-pretty rounded-sm text-left wrap-anywhere hover:underline"
      >
        <Sentence text={row.message} />
      </button>
    ),
  },
];

/** Who did what, when and why; people and engines alike. */
export function ActivityScreen() {
  const { query, change, entry, open } = useActivityUrl();
  const newest = useLiveWindow(activityQueries.newest());
  const refused = newest.data === undefined && newest.error ? asSentence(messageOf(newest.error)) : null;
  const columns = useMemo(() => columnsOf(open), [open]);
  return (
    <>
      <PageHead
        title={t.activity}
        note={<span className="text-ink-3">{t.everyDecisionAndEveryChange}</span>}
        actions={
          <>
            <VerifyRecord blocked={refused} />
            <ExportRecord blocked={refused} />
          </>
        }
      />
      <Panel>
        <ActivityFilters query={query} change={change}>
          <TableTools id={t.record} columns={columns} />
        </ActivityFilters>
        <LiveView
          query={activityQueries.newest()}
          awaits={t.readingTheRecord}
          pending={<SkeletonRows columns={5} />}
          empty={({ within }) => <NoActivity within={within} />}
        >
          {(newest) => <RecordPage newest={newest} query={query} change={change} open={open} columns={columns} />}
        </LiveView>
      </Panel>
      {entry === null ? null : <ActivityEntryDialog key={entry} id={entry} onClose={() => open(null)} />}
    </>
  );
}

function ExportRecord({ blocked }: { readonly blocked: string | null }) {
  const label = (
    <>
      <Download size={13} aria-hidden /> {t.export}
    </>
  );
  if (blocked !== null) return <Button blocked={blocked}>{label}</Button>;
  return (
    <a href="/api/v1/activity/export" download className={buttonVariants()}>
      {label}
    </a>
  );
}

interface RecordPageProps {
  readonly newest: WindowSnapshot<ActivityRow>;
  readonly query: ActivityQuery;
  readonly change: (change: ActivityChange) => void;
  readonly open: (id: string) => void;
  readonly columns: readonly Column<ActivityRow>[];
}

/** A page of the whole record; until it is read, and where it cannot be, the newest entries stand for its first one. */
function RecordPage({ newest, query, change, open, columns }: RecordPageProps) {
  const record = useQuery(activityQueries.page(query, newest.rows[0]?.key));
  const isFirst = isWholeRecord(query);
  const { within } = newest;
  const footer =
    within === undefined || query.ns !== undefined ? null : <WithinFooter within={within} noun={t.entries.many} of="applications" />;
  const data = record.data ?? (isFirst ? { rows: newest.rows, total: newest.total, more: false } : undefined);
  return (
    <QueryView
      query={{ ...record, data }}
      awaits={t.readingTheRecord}
      pending={<SkeletonRows columns={5} />}
      empty={
        <>
          <NoMatch title={t.noEntryMatches} onClear={() => change(NO_ACTIVITY_FILTER)}>
            {t.changeTheSearchOrThe}
          </NoMatch>
          {footer}
        </>
      }
      isEmpty={({ total }) => total === 0}
    >
      {({ rows, total, more }) => (
        <>
          <DataTable
            label={t.record}
            rows={inTime(rows, query)}
            columns={columns}
            sorting={{ by: query.sort, desc: query.desc ?? false, onSort: (sort, desc) => change({ sort, desc }) }}
            card={(row) => <ActivityCard row={row} open={open} />}
          />
          <Pager
            page={query.page ?? 0}
            size={query.size ?? 50}
            total={total}
            more={more}
            noun={t.entries}
            onPage={(page) => change({ page })}
          />
          {footer}
        </>
      )}
    </QueryView>
  );
}

/** A page of the record in the order of time, unless another was asked for; which entries are on it is told by their places in the record. */
function inTime(rows: readonly ActivityRow[], { sort, desc }: ActivityQuery): readonly ActivityRow[] {
  if (sort !== undefined && sort !== 'at') return rows;
  return sort === undefined || desc ? newestFirst(rows) : newestFirst(rows.toReversed()).toReversed();
}

function NoActivity({ within }: { readonly within: Within | undefined }) {
  const icon = <Activity size={17} aria-hidden />;
  if (within) return <NothingWithin icon={icon} within={within} noun={t.entries.many} of="applications" />;
  return (
    <Empty icon={icon} title={t.nothingOnRecordYet}>
      {t.eachDecisionOfAPerson}
    </Empty>
  );
}

function ObjectName({ row }: { readonly row: ActivityRow }) {
  return (
    <span className="wrap-anywhere">
      <span className="text-ink-3">{row.kind}</span> {row.name}
      {row.ns ? <span className="text-ink-3"> {t.in(row.ns)}</span> : null}
    </span>
  );
}

function ActivityCard({ row, open }: { readonly row: ActivityRow; readonly open: (id: string) => void }) {
  return (
    <>
      <p className="flex gap-2">
        <span className="min-w-0 font-medium wrap-anywhere">{row.actor}</span>
        <span className="shrink-0 text-ink-3">{row.action}</span>
        <span className="ml-auto shrink-0 text-ink-3 text-xs">
          <Ago at={row.at} />
        </span>
      </p>
      <button type="button" onClick={() => open(row.key)} className="mt-0.5 block text-left">
        <Sentence text={row.message} />
      </button>
      <p className="mt-0.5 text-xs">
        <ObjectName row={row} />
      </p>
    </>
  );
}
