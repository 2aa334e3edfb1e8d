'use client';

import type { ReactNode } from 'react';
import { Button } from '@/components/ui/button';
import type { Column } from '@/components/ui/data/data-table';
import { DataTable } from '@/components/ui/data/data-table';
import { Pager } from '@/components/ui/data/pager';
import { SkeletonRows } from '@/components/ui/data/skeleton';
import { Panel } from '@/components/ui/panel';
import type { ListQuery } from '@/lib/contract/lists/list-query';
import { isFiltered } from '@/lib/contract/lists/list-query';
import type { Within } from '@/lib/contract/lists/within';
import type { Freshness, Keyed } from '@/lib/contract/live';
import type { ListKind } from '@/lib/contract/topic';
import { refuseSelector } from '@/lib/kube/labels/refuse-selector';
import { t } from '@/lib/words/catalogue/console/filters';
import type { Noun } from '@/lib/words/figures';
import type { Listed } from '@/lib/words/lists/listed-resources';
import type { ListChange } from './address/list-url';
import type { FilterChip } from './filters/filter-chips';
import type { ListFilter } from './filters/list-filters';
import { ListFilters, NO_FILTER } from './filters/list-filters';
import { NothingWithin, WithinFooter } from './filters/nothing-within';
import { RefusedSelector } from './filters/refused-selector';
import { LiveView } from './live-view';
import { TableTools } from './table/table-tools';
import type { LiveQueryOptions } from './use-live-topic';

export interface ListPanelProps<Row extends Keyed> {
  readonly noun: Noun;
  readonly url: { readonly query: ListQuery; readonly change: (change: ListChange) => void };
  readonly rows: LiveQueryOptions<Row>;
  readonly columns: readonly Column<Row>[];
  readonly filter: ListFilter;
  /** The list, where its rows tell labels and owner. */
  readonly marked?: ListKind;
  /** A filter of this list alone, after the others, and what it says while it is set. */
  readonly more?: ReactNode;
  readonly moreChips?: readonly FilterChip[];
  /** Page that a row leads to, where it has one. */
  readonly hrefOf?: (row: Row) => string;
  readonly card: (row: Row) => ReactNode;
  /** What is said when there is nothing, given whether something was asked for and how fresh that is. */
  readonly empty: (isFiltered: boolean, freshness: Freshness) => ReactNode;
  /** The list whose `list` rights show the rows. */
  readonly of: Listed;
}

/** A live list: searched, filtered, sorted and paged by the server, its state in the address. */
export function ListPanel<Row extends Keyed>(props: ListPanelProps<Row>) {
  const { noun, url, columns, filter, marked, more, moreChips } = props;
  const { query, change } = url;
  const label = noun.many.replace(/^./, (first) => first.toUpperCase());
  const wrong = query.labels === undefined ? null : refuseSelector(query.labels);
  const tools = <TableTools id={label} columns={columns} />;
  return (
    <Panel>
      <ListFilters noun={noun.many} {...{ query, change, filter, marked, more, moreChips, tools }} />
      {wrong === null ? <Rows label={label} {...props} /> : <RefusedSelector why={wrong} onClear={() => change({ labels: null })} />}
    </Panel>
  );
}

function Rows<Row extends Keyed>({
  label,
  noun,
  url: { query, change },
  rows,
  columns,
  hrefOf,
  card,
  empty,
  of,
}: ListPanelProps<Row> & { readonly label: string }) {
  const isNarrowed = isFiltered(query);
  // Namespaces that are named were asked for, and none of them is left out.
  const footer = (within: Within | undefined) =>
    within === undefined || query.ns !== undefined ? null : <WithinFooter {...{ within, of }} noun={noun.many} />;
  return (
    <LiveView
      query={rows}
      awaits={t.readingThe(noun.many)}
      pending={<SkeletonRows columns={columns.length} />}
      empty={({ within, freshness }) => (
        <>
          {within === undefined || isNarrowed ? empty(isNarrowed, freshness) : <NothingWithin {...{ within, of }} noun={noun.many} />}
          {isNarrowed ? (
            <p className="-mt-8 pb-12 text-center">
              <Button onClick={() => change(NO_FILTER)}>{t.clearFilters}</Button>
            </p>
          ) : null}
          {isNarrowed ? footer(within) : null}
        </>
      )}
    >
      {(window) => (
        <>
          <DataTable
            label={label}
            rows={window.rows}
            columns={columns}
            sorting={{ by: query.sort, desc: query.desc ?? false, onSort: (sort, desc) => change({ sort, desc }) }}
            {...(hrefOf ? { hrefOf } : {})}
            card={card}
          />
          <Pager page={query.page ?? 0} size={query.size ?? 50} total={window.total} noun={noun} onPage={(page) => change({ page })} />
          {footer(window.within)}
        </>
      )}
    </LiveView>
  );
}
