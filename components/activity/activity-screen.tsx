'use client';

import { useQuery } from '@tanstack/react-query';
import { Activity, Download } from 'lucide-react';
import type { ListChange } from '@/components/live/address/list-url';
import { useListUrl } from '@/components/live/address/list-url';
import { Ago } from '@/components/live/ago';
import { LiveView } from '@/components/live/live-view';
import { useStatus } from '@/components/live/staleness';
import { buttonLook } from '@/components/ui/button';
import type { Column } from '@/components/ui/data/data-table';
import { DataTable } from '@/components/ui/data/data-table';
import { Empty } from '@/components/ui/data/empty';
import { Pager } from '@/components/ui/data/pager';
import { QueryView } from '@/components/ui/data/query-view';
import { SkeletonRows } from '@/components/ui/data/skeleton';
import { SelectBox } from '@/components/ui/form/field';
import { SearchBox } from '@/components/ui/form/search-box';
import { PageHead } from '@/components/ui/page-head';
import { Panel } from '@/components/ui/panel';
import { Sentence } from '@/components/ui/time/sentence';
import type { WindowSnapshot } from '@/lib/contract/live';
import type { ActivityRow } from '@/lib/contract/system-rows';
import type { ListQuery } from '@/lib/contract/topic';
import { formatTopic } from '@/lib/contract/topic';
import { t } from '@/lib/words/catalogue/console/activity';
import { activityQueries } from './activity-queries';
import { VerifyRecord } from './verify-record';

const COLUMNS: readonly Column<ActivityRow>[] = [
  { id: 'at', head: t.when, sort: 'at', className: 'w-28 text-ink-3', cell: (row) => <Ago at={row.at} /> },
  { id: 'actor', head: t.who, sort: 'actor', className: 'w-36 min-w-28 font-medium wrap-anywhere', cell: (row) => row.actor },
  { id: 'action', head: t.what, sort: 'action', className: 'w-36 text-ink-2', cell: (row) => row.action },
  { id: 'object', head: t.on, className: 'w-80 min-w-48', cell: (row) => <ObjectName row={row} /> },
  {
    id: 'message',
    head: t.inWords,
    cell: (row) => (
      <p className="min-w-48 text-pretty wrap-anywhere">
        <Sentence text={row.message} />
      </p>
    ),
  },
];

/** Who did what, when and why; people and engines alike. */
export function ActivityScreen() {
  const { query, change } = useListUrl();
  const namespaces = useStatus()?.namespaces ?? [];
  return (
    <>
      <PageHead
        title={t.activity}
        note={<span className="text-ink-3">{t.everyDecisionAndEveryChange}</span>}
        actions={
          <>
            <VerifyRecord />
            <a href="/api/v1/activity/export" download className={buttonLook()}>
              <Download size={13} aria-hidden /> {t.export}
            </a>
          </>
        }
      />
      <Panel>
        <div className="flex flex-wrap items-center gap-2 border-b px-4 py-2">
          <SearchBox label={t.searchTheRecord} value={query.q ?? ''} onSearch={(q) => change({ q })} />
          <SelectBox label={t.namespace} value={query.ns ?? ''} onChange={(event) => change({ ns: event.target.value })}>
            <option value="">{t.allNamespaces}</option>
            {namespaces.map((ns) => (
              <option key={ns}>{ns}</option>
            ))}
          </SelectBox>
        </div>
        <LiveView query={activityQueries.newest()} awaits={t.readingTheRecord} pending={<SkeletonRows columns={5} />} empty={<NoActivity filtered={false} />}>
          {(newest) => <RecordPage newest={newest} query={query} change={change} />}
        </LiveView>
      </Panel>
    </>
  );
}

interface RecordPageProps {
  readonly newest: WindowSnapshot<ActivityRow>;
  readonly query: ListQuery;
  readonly change: (change: ListChange) => void;
}

/** A page of the whole record; until it is read, and where it cannot be, the newest entries stand for its first one. */
function RecordPage({ newest, query, change }: RecordPageProps) {
  const record = useQuery(activityQueries.page(query, newest.rows[0]?.key));
  const isFirst = formatTopic({ kind: 'activity', query }) === 'activity';
  const data = record.data ?? (isFirst ? { rows: newest.rows, total: newest.total, more: false } : undefined);
  return (
    <QueryView
      query={{ ...record, data }}
      awaits={t.readingTheRecord}
      pending={<SkeletonRows columns={5} />}
      empty={<NoActivity filtered />}
      isEmpty={({ total }) => total === 0}
    >
      {({ rows, total, more }) => (
        <>
          <DataTable
            label={t.record}
            rows={rows}
            columns={COLUMNS}
            sorting={{ by: query.sort, desc: query.desc ?? false, onSort: (sort, desc) => change({ sort, desc }) }}
            card={(row) => <ActivityCard row={row} />}
          />
          <Pager page={query.page ?? 0} size={query.size ?? 50} total={total} more={more} noun={t.entries} onPage={(page) => change({ page })} />
        </>
      )}
    </QueryView>
  );
}

function NoActivity({ filtered }: { readonly filtered: boolean }) {
  if (filtered) return <Empty title={t.noEntryMatches}>{t.changeTheSearchOrThe}</Empty>;
  return (
    <Empty icon={<Activity size={17} aria-hidden />} title={t.nothingOnRecordYet}>
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

function ActivityCard({ row }: { readonly row: ActivityRow }) {
  return (
    <>
      <p className="flex gap-2">
        <span className="min-w-0 font-medium wrap-anywhere">{row.actor}</span>
        <span className="shrink-0 text-ink-3">{row.action}</span>
        <span className="ml-auto shrink-0 text-ink-3 text-xs">
          <Ago at={row.at} />
        </span>
      </p>
      <p className="mt-0.5">
        <Sentence text={row.message} />
      </p>
      <p className="mt-0.5 text-xs">
        <ObjectName row={row} />
      </p>
    </>
  );
}
