'use client';

import { useQuery } from '@tanstack/react-query';
import { History } from 'lucide-react';
import Link from 'next/link';
import { Ago } from '@/components/live/ago';
import { FilterChips } from '@/components/live/filters/filter-chips';
import type { MetadataQuery } from '@/components/live/filters/metadata-filters';
import { NamespaceFilter, namespaceChips } from '@/components/live/filters/metadata-filters';
import { NoMatch } from '@/components/live/filters/no-match';
import { NothingWithin, WithinFooter } from '@/components/live/filters/nothing-within';
import { TableTools } from '@/components/live/table/table-tools';
import type { Column } from '@/components/ui/data/data-table';
import { DataTable } from '@/components/ui/data/data-table';
import { Empty } from '@/components/ui/data/empty';
import { Pager } from '@/components/ui/data/pager';
import { QueryView } from '@/components/ui/data/query-view';
import { SkeletonRows } from '@/components/ui/data/skeleton';
import { SelectBox } from '@/components/ui/form/field';
import { FilterBar } from '@/components/ui/form/filter-bar';
import { SearchBox } from '@/components/ui/form/search-box';
import { PageHead } from '@/components/ui/page-head';
import { Panel } from '@/components/ui/panel';
import { rich } from '@/components/ui/words/rich';
import type { HistoryQuery, HistoryWeek, PastAttempt } from '@/lib/contract/history/history-rows';
import { HISTORY_PAGE, HISTORY_SHOWN, HISTORY_SORTS } from '@/lib/contract/history/history-rows';
import type { Within } from '@/lib/contract/lists/within';
import { t as figures } from '@/lib/words/catalogue/console/history';
import { t } from '@/lib/words/catalogue/delivery/history';
import { formatHistoryQuery, historyRead } from './history-queries';
import { formatLength, formatWeek, KIND_WORD, SHOWN_WORD } from './history-words';
import { OutcomeMark } from './outcome-mark';
import { readHistoryQuery, useHistoryUrl } from './use-history-url';
import { Definitions } from './weeks-panel';
import { WeeksTable } from './weeks-table';

const COLUMNS: readonly Column<PastAttempt>[] = [
  { id: 'name', head: figures.rollout, cell: (row) => <AttemptName row={row} /> },
  { id: 'kind', head: t.kind, className: 'text-ink-2', cell: (row) => KIND_WORD[row.kind] },
  { id: 'outcome', head: t.outcome, cell: (row) => <OutcomeMark outcome={row.outcome} /> },
  { id: 'started', head: t.started, numeric: true, className: 'text-ink-3', cell: (row) => <Ago at={row.startedAt} /> },
  { id: 'lead', head: figures.leadTime, numeric: true, cell: (row) => formatLength(row.leadMs) },
  { id: 'waited', head: figures.waitingForPeople, numeric: true, cell: (row) => formatLength(row.waitedMs) },
  { id: 'back', head: figures.timeToRollBack, numeric: true, cell: (row) => formatLength(row.backMs) },
  { id: 'record', head: t.entries, cell: (row) => <RecordLink row={row} /> },
];
const TABLE = 'history';
const SORT_WORD: Readonly<Record<(typeof HISTORY_SORTS)[number], string>> = {
  started: t.newestFirst,
  lead: t.longestLeadTimeFirst,
  waited: t.longestWaitFirst,
  back: t.slowestWayBackFirst,
};

/** The rollouts of the last weeks as they are on record, and their figures week by week. */
export function HistoryScreen() {
  const { query, change } = useHistoryUrl();
  const history = useQuery(historyRead(query));
  return (
    <>
      <PageHead
        breadcrumbs={[{ label: figures.rollouts, href: '/rollouts' }]}
        title={t.history}
        note={<span className="text-ink-3">{t.rolloutsThatBegan}</span>}
      />
      <QueryView
        isPage
        query={history}
        awaits={figures.readingTheLastWeeks}
        pending={
          <Panel>
            <SkeletonRows columns={6} />
          </Panel>
        }
      >
        {(data) => (
          <div className="space-y-4">
            <Panel title={t.byWeek} note={t.eachFigureLeads}>
              <WeeksTable weeks={data.weeks} query={query} />
              <Definitions history={data} />
            </Panel>
            <Panel title={figures.rollouts}>
              <HistoryFilters query={query} weeks={data.weeks} onChange={change} />
              {data.total === 0 ? (
                <NoHistory
                  isEmpty={data.all.started === 0}
                  within={query.ns === undefined ? data.within : undefined}
                  onClear={() => change({})}
                />
              ) : (
                <>
                  <DataTable
                    label={figures.rollouts}
                    id={TABLE}
                    rows={data.rows}
                    columns={COLUMNS}
                    hrefOf={({ ns, name }) => `/rollouts/${ns}/${name}`}
                    card={(row) => <Card row={row} />}
                  />
                  <Pager
                    page={query.page ?? 0}
                    size={HISTORY_PAGE}
                    total={data.total}
                    noun={t.rolloutsInline}
                    onPage={(page) => change({ ...query, page })}
                  />
                  {data.within === undefined || query.ns !== undefined ? null : (
                    <WithinFooter within={data.within} noun={t.rolloutsInline.many} of="applications" />
                  )}
                </>
              )}
            </Panel>
          </div>
        )}
      </QueryView>
    </>
  );
}

interface HistoryFiltersProps {
  readonly query: HistoryQuery;
  readonly weeks: readonly HistoryWeek[];
  readonly onChange: (query: HistoryQuery) => void;
}

function HistoryFilters({ query, weeks, onChange }: HistoryFiltersProps) {
  const set = (name: Exclude<keyof HistoryQuery, 'page'>, value: string) => {
    const params = new URLSearchParams(formatHistoryQuery({ ...query, page: undefined }));
    params.set(name, value);
    onChange(readHistoryQuery(params));
  };
  const marks: MetadataQuery = { query, change: ({ ns }) => set('ns', ns?.join(',') ?? '') };
  const chips = namespaceChips(marks);
  return (
    <>
      <FilterBar
        count={chips.length + [query.week, query.show].filter(Boolean).length}
        search={<SearchBox label={t.searchRollouts} value={query.q ?? ''} onSearch={(q) => set('q', q)} />}
      >
        <NamespaceFilter {...marks} />
        <SelectBox label={t.week} value={query.week ?? ''} onChange={(event) => set('week', event.target.value)}>
          <option value="">{t.allWeeks}</option>
          {weeks.toReversed().map(({ week }) => (
            <option key={week} value={week}>
              {t.weekNamed(formatWeek(week))}
            </option>
          ))}
        </SelectBox>
        <SelectBox label={t.outcome} value={query.show ?? ''} onChange={(event) => set('show', event.target.value)}>
          <option value="">{t.anyOutcome}</option>
          {HISTORY_SHOWN.map((show) => (
            <option key={show} value={show}>
              {SHOWN_WORD[show]}
            </option>
          ))}
        </SelectBox>
        <SelectBox
          label={t.order}
          value={query.sort ?? 'started'}
          onChange={(event) => set('sort', event.target.value === 'started' ? '' : event.target.value)}
        >
          {HISTORY_SORTS.map((sort) => (
            <option key={sort} value={sort}>
              {SORT_WORD[sort]}
            </option>
          ))}
        </SelectBox>
        <TableTools id={TABLE} columns={COLUMNS} />
      </FilterBar>
      <FilterChips chips={chips} onClear={() => onChange({})} />
    </>
  );
}

interface NoHistoryProps {
  readonly isEmpty: boolean;
  readonly within: Within | undefined;
  readonly onClear: () => void;
}

function NoHistory({ isEmpty, within, onClear }: NoHistoryProps) {
  const icon = <History size={17} aria-hidden />;
  if (!isEmpty)
    return (
      <NoMatch title={t.noRolloutMatches} onClear={onClear}>
        {t.changeTheSearch}
      </NoMatch>
    );
  if (within) return <NothingWithin icon={icon} within={within} noun={t.rolloutsInline.many} of="applications" />;
  return (
    <Empty icon={icon} title={t.nothingOnRecord}>
      {t.eachRolloutIsRecorded}
    </Empty>
  );
}

function AttemptName({ row }: { readonly row: PastAttempt }) {
  return (
    <>
      {row.to ?? row.name} <span className="font-normal text-ink-3">{row.ns}</span>
    </>
  );
}

function RecordLink({ row }: { readonly row: PastAttempt }) {
  return (
    <Link
      href={`/activity?${new URLSearchParams({ ns: row.ns, q: row.name })}`}
      className="relative z-10 rounded-sm text-ink-2 text-xs hover:text-ink hover:underline"
    >
      {t.onRecord}
    </Link>
  );
}

function Card({ row }: { readonly row: PastAttempt }) {
  const lengths = [
    row.leadMs === null ? null : t.leadTimeOf(formatLength(row.leadMs)),
    row.waitedMs === null ? null : t.waitedFor(formatLength(row.waitedMs)),
    row.backMs === null ? null : t.backAfter(formatLength(row.backMs)),
  ].filter((one) => one !== null);
  return (
    <>
      <div className="flex items-center gap-2">
        <span className="min-w-0 flex-1 font-medium wrap-anywhere">
          <AttemptName row={row} />
        </span>
        <OutcomeMark outcome={row.outcome} />
      </div>
      <p className="mt-0.5 text-ink-3 text-xs">{rich(t.kindAndTime(KIND_WORD[row.kind], <Ago at={row.startedAt} />))}</p>
      {lengths.length === 0 ? null : <p className="mt-0.5 text-ink-2 text-xs">{lengths.join(', ')}</p>}
    </>
  );
}
