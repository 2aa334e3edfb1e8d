'use client';

import { ArrowDown, ArrowUp } from 'lucide-react';
import Link from 'next/link';
import type { ReactNode } from 'react';
import type { Keyed } from '@/lib/contract/live';
import { cx } from '../cx';
import { InsideTarget } from '../time/exact-time';

export interface Column<Row> {
  readonly id: string;
  readonly head: string;
  readonly cell: (row: Row) => ReactNode;
  /** Name by which the server sorts. */
  readonly sort?: string;
  readonly className?: string;
  /** Numbers stand at the right. */
  readonly numeric?: boolean;
}

export interface Sorting {
  readonly by: string | undefined;
  readonly desc: boolean;
  readonly onSort: (by: string, desc: boolean) => void;
}

export interface DataTableProps<Row> {
  readonly label: string;
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  readonly sorting?: Sorting;
  /** Page a row leads to; its first column becomes the link, and the whole row is clickable. */
  readonly hrefOf?: (row: Row) => string;
  /** The row as a card, for narrow screens. */
  readonly card?: (row: Row) => ReactNode;
}

/** A table of what one page of a list holds; narrow screens get cards. */
export function DataTable<Row extends Keyed>({ label, rows, columns, sorting, hrefOf, card }: DataTableProps<Row>) {
  return (
    <div className="@container">
      <div className={cx('overflow-x-auto', card && 'hidden @3xl:block')}>
        <table aria-label={label} className="w-full border-collapse text-left">
          <thead>
            <tr className="border-b">
              {columns.map((column) => (
                <HeadCell key={column.id} column={column} sorting={sorting} />
              ))}
            </tr>
          </thead>
          <InsideTarget value={hrefOf !== undefined}>
            <tbody>
              {rows.map((row) => (
                <tr key={row.key} className="group relative border-b last:border-b-0 hover:bg-hover has-[a:focus-visible]:bg-hover">
                  {columns.map((column, at) => (
                    <td key={column.id} className={cx('h-10 px-4 py-1.5', column.numeric && 'text-right', column.className)}>
                      {at === 0 && hrefOf ? <RowLink href={hrefOf(row)}>{column.cell(row)}</RowLink> : column.cell(row)}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </InsideTarget>
        </table>
      </div>
      {card ? <Cards label={label} rows={rows} card={card} {...(hrefOf ? { hrefOf } : {})} /> : null}
    </div>
  );
}

function RowLink({ href, children }: { readonly href: string; readonly children: ReactNode }) {
  return (
    <Link href={href} className="rounded-sm font-medium text-ink after:absolute after:inset-0">
      <span className="line-clamp-4 min-w-40 max-w-72">{children}</span>
    </Link>
  );
}

function Cards<Row extends Keyed>({
  label,
  rows,
  card,
  hrefOf,
}: Required<Pick<DataTableProps<Row>, 'label' | 'rows' | 'card'>> & Pick<DataTableProps<Row>, 'hrefOf'>) {
  return (
    <ul aria-label={label} className="divide-y @3xl:hidden">
      {rows.map((row) => (
        <li key={row.key} className="relative">
          {hrefOf ? (
            <Link href={hrefOf(row)} className="focus-inset block px-4 py-3 active:bg-pressed">
              <InsideTarget value>{card(row)}</InsideTarget>
            </Link>
          ) : (
            <div className="px-4 py-3">{card(row)}</div>
          )}
        </li>
      ))}
    </ul>
  );
}

function HeadCell<Row>({ column, sorting }: { readonly column: Column<Row>; readonly sorting: Sorting | undefined }) {
  const { sort } = column;
  const isSorted = sort !== undefined && sorting?.by === sort;
  const Arrow = sorting?.desc ? ArrowDown : ArrowUp;
  return (
    <th
      scope="col"
      aria-sort={isSorted ? (sorting?.desc ? 'descending' : 'ascending') : undefined}
      className={cx(column.className, 'h-8 whitespace-nowrap px-4 font-medium text-2xs text-ink-3', column.numeric && 'text-right')}
    >
      {sort && sorting ? (
        <button
          type="button"
          className={cx('inline-flex items-center gap-1 rounded-sm align-top hover:text-ink', column.numeric && 'flex-row-reverse')}
          onClick={() => sorting.onSort(sort, isSorted && !sorting.desc)}
        >
          {column.head}
          <Arrow size={11} aria-hidden className={cx(isSorted ? 'text-ink' : 'opacity-0')} />
        </button>
      ) : (
        column.head
      )}
    </th>
  );
}
