'use client';

import type { ReactNode } from 'react';
import type { Column } from '@/components/ui/data/data-table';
import { DataTable } from '@/components/ui/data/data-table';
import { Pager } from '@/components/ui/data/pager';
import { SkeletonRows } from '@/components/ui/data/skeleton';
import { SelectBox } from '@/components/ui/form/field';
import { SearchBox } from '@/components/ui/form/search-box';
import { Panel } from '@/components/ui/panel';
import type { Keyed } from '@/lib/contract/live';
import type { ListQuery } from '@/lib/contract/topic';
import { t } from '@/lib/words/catalogue/console/live';
import type { ListChange } from './address/list-url';
import { LiveView } from './live-view';
import { useStatus } from './staleness';
import { TableTools } from './table/table-tools';
import type { LiveQueryOptions } from './use-live-topic';

/** What a list can be narrowed to, beside its text and namespace. */
export interface ListFilter {
  readonly label: string;
  /** How none of them is called. */
  readonly any: string;
  readonly options: readonly { readonly id: string; readonly word: string }[];
}

export interface ListPanelProps<Row extends Keyed> {
  /** Plural and small: `applications`. */
  readonly noun: string;
  readonly url: { readonly query: ListQuery; readonly change: (change: ListChange) => void };
  readonly rows: LiveQueryOptions<Row>;
  readonly columns: readonly Column<Row>[];
  readonly filter: ListFilter;
  /** A filter of this list alone, after the others. */
  readonly more?: ReactNode;
  /** Page that a row leads to, where it has one. */
  readonly hrefOf?: (row: Row) => string;
  readonly card: (row: Row) => ReactNode;
  /** What is said when there is nothing, given whether something was asked for. */
  readonly empty: (isFiltered: boolean) => ReactNode;
}

/** A live list: searched, filtered, sorted and paged by the server, its state in the address. */
export function ListPanel<Row extends Keyed>({ noun, url: { query, change }, rows, columns, filter, more, hrefOf, card, empty }: ListPanelProps<Row>) {
  const namespaces = useStatus()?.namespaces ?? [];
  const label = noun.replace(/^./, (first) => first.toUpperCase());
  return (
    <Panel>
      <div className="flex flex-wrap items-center gap-2 border-b px-4 py-2">
        <SearchBox label={t.search(noun)} value={query.q ?? ''} onSearch={(q) => change({ q })} />
        <SelectBox label={t.namespace} value={query.ns ?? ''} onChange={(event) => change({ ns: event.target.value })}>
          <option value="">{t.allNamespaces}</option>
          {namespaces.map((ns) => (
            <option key={ns}>{ns}</option>
          ))}
        </SelectBox>
        <SelectBox label={filter.label} value={query.health ?? ''} onChange={(event) => change({ health: event.target.value })}>
          <option value="">{filter.any}</option>
          {filter.options.map(({ id, word }) => (
            <option key={id} value={id}>
              {word}
            </option>
          ))}
        </SelectBox>
        {more}
        <TableTools id={label} columns={columns} />
      </div>
      <LiveView
        query={rows}
        awaits={t.readingThe(noun)}
        pending={<SkeletonRows columns={columns.length} />}
        empty={empty(Boolean(query.q ?? query.health ?? query.ns ?? query.drifted))}
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
          </>
        )}
      </LiveView>
    </Panel>
  );
}
