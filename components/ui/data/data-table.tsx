'use client';

import { ArrowDown, ArrowUp } from 'lucide-react';
import Link from 'next/link';
import type { ReactNode } from 'react';
import type { Keyed } from '@/lib/contract/live';
import { t } from '@/lib/words/catalogue/console/ui';
import { formatNumber } from '@/lib/words/figures';
import { cx } from '../cx';
import { CheckBox } from '../form/check-box';
import { useTableLayout } from '../preferences/use-preferences';
import { SortBar } from '../table/sort-bar';
import { InsideTarget } from '../time/exact-time';

export interface Column<Row> {
  readonly id: string;
  readonly head: string;
  readonly cell: (row: Row) => ReactNode;
  /** Name by which the server sorts. */
  readonly sort?: string;
  readonly className?: string;
  /** Shown only to whoever asks for it. */
  readonly isExtra?: boolean;
  /** Numbers stand at the right. */
  readonly numeric?: boolean;
}

export interface Sorting {
  readonly by: string | undefined;
  readonly desc: boolean;
  readonly onSort: (by: string, desc: boolean) => void;
}

/** What stands in a cell; a number as people write it. */
const said = (cell: ReactNode): ReactNode => (typeof cell === 'number' ? formatNumber(cell) : cell);

/** Between columns; less where there is less room, so that a table of many columns fits beside the rail of a screen of 1280 px. */
const BESIDE = 'px-3 first:pl-4 last:pr-4';

/** More to hit than the box itself. */
const HIT = '-m-[5px] flex w-fit p-[5px]';

/** Rows that are chosen, for what is done to several of them at once. */
export interface Selection<Row> {
  readonly keys: ReadonlySet<string>;
  readonly onSelect: (keys: ReadonlySet<string>) => void;
  /** What a row is called where it is chosen. */
  readonly labelOf: (row: Row) => string;
}

export interface DataTableProps<Row> {
  readonly label: string;
  /** Under which its columns and density are kept, where the label is not its own. */
  readonly id?: string | undefined;
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  readonly sorting?: Sorting;
  /** Page a row leads to; its first column becomes the link, and the whole row is clickable. */
  readonly hrefOf?: (row: Row) => string;
  readonly selection?: Selection<Row>;
  /** The row as a card, for narrow screens. */
  readonly card?: (row: Row) => ReactNode;
}

/** A table of what one page of a list holds; narrow screens get cards. */
export function DataTable<Row extends Keyed>({
  label,
  id = label,
  rows,
  columns: all,
  sorting,
  hrefOf,
  selection,
  card,
}: DataTableProps<Row>) {
  const look = useTableLayout(id, all);
  const columns = all.filter((column, at) => at === 0 || !look.hidden.includes(column.id));
  return (
    <div className="@container">
      <div className={cx('overflow-x-auto', card && 'hidden @3xl:block')}>
        <table aria-label={label} className="w-full border-collapse text-left">
          <thead>
            <tr className="border-b">
              {selection ? (
                <th scope="col" className="w-8 pl-4">
                  <SelectAll rows={rows} selection={selection} />
                </th>
              ) : null}
              {columns.map((column) => (
                <HeadCell key={column.id} column={column} sorting={sorting} />
              ))}
            </tr>
          </thead>
          <InsideTarget value={hrefOf !== undefined}>
            <Body
              rows={rows}
              columns={columns}
              isDense={look.dense}
              {...(hrefOf ? { hrefOf } : {})}
              {...(selection ? { selection } : {})}
            />
          </InsideTarget>
        </table>
      </div>
      {card && sorting ? <SortBar columns={all} sorting={sorting} /> : null}
      {card ? <Cards label={label} rows={rows} card={card} {...(hrefOf ? { hrefOf } : {})} {...(selection ? { selection } : {})} /> : null}
    </div>
  );
}

type BodyProps<Row> = Pick<DataTableProps<Row>, 'rows' | 'columns' | 'hrefOf' | 'selection'> & { readonly isDense: boolean };

function Body<Row extends Keyed>({ rows, columns, hrefOf, selection, isDense }: BodyProps<Row>) {
  const cell = cx(BESIDE, isDense ? 'h-7 py-0.5 text-xs' : 'h-10 py-1.5 @6xl:px-4');
  return (
    <tbody>
      {rows.map((row) => (
        <tr key={row.key} data-row="" className="group relative border-b last:border-b-0 hover:bg-hover has-[a:focus-visible]:bg-hover">
          {selection ? (
            <td className="w-8 pl-4">
              <SelectRow row={row} selection={selection} />
            </td>
          ) : null}
          {columns.map((column, at) => (
            <td key={column.id} className={cx(cell, column.numeric && 'text-right', column.className)}>
              {at === 0 && hrefOf ? <RowLink href={hrefOf(row)}>{column.cell(row)}</RowLink> : said(column.cell(row))}
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  );
}

function SelectRow<Row extends Keyed>({
  row,
  selection: { keys, onSelect, labelOf },
}: {
  readonly row: Row;
  readonly selection: Selection<Row>;
}) {
  const toggle = () => {
    const next = new Set(keys);
    if (!next.delete(row.key)) next.add(row.key);
    onSelect(next);
  };
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the box is in it and has a name of its own
    <label className={cx('relative z-10', HIT)}>
      <CheckBox aria-label={t.select(labelOf(row))} checked={keys.has(row.key)} onChange={toggle} />
    </label>
  );
}

function SelectAll<Row extends Keyed>({
  rows,
  selection: { keys, onSelect },
}: {
  readonly rows: readonly Row[];
  readonly selection: Selection<Row>;
}) {
  const isAll = rows.length > 0 && rows.every(({ key }) => keys.has(key));
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the box is in it and has a name of its own
    <label className={HIT}>
      <CheckBox
        aria-label={t.selectAllOnThisPage}
        checked={isAll}
        onChange={() => onSelect(new Set(isAll ? [] : rows.map(({ key }) => key)))}
      />
    </label>
  );
}

function RowLink({ href, children }: { readonly href: string; readonly children: ReactNode }) {
  return (
    <Link href={href} className="rounded-sm font-medium text-ink after:absolute after:inset-0">
      <span className="line-clamp-4 min-w-32 max-w-72 @6xl:min-w-40">{children}</span>
    </Link>
  );
}

function Cards<Row extends Keyed>({
  label,
  rows,
  card,
  hrefOf,
  selection,
}: Required<Pick<DataTableProps<Row>, 'label' | 'rows' | 'card'>> & Pick<DataTableProps<Row>, 'hrefOf' | 'selection'>) {
  return (
    <ul aria-label={label} className="divide-y @3xl:hidden">
      {rows.map((row) => (
        <li key={row.key} data-row="" className="relative break-inside-avoid">
          {hrefOf ? (
            <Link href={hrefOf(row)} className="focus-inset block px-4 py-3 active:bg-pressed">
              <InsideTarget value>{card(row)}</InsideTarget>
            </Link>
          ) : (
            <div className="px-4 py-3">{card(row)}</div>
          )}
          {selection ? (
            <span className="absolute top-3 right-4">
              <SelectRow row={row} selection={selection} />
            </span>
          ) : null}
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
      className={cx(
        column.className,
        BESIDE,
        'h-8 whitespace-nowrap font-medium text-2xs text-ink-3! @6xl:px-4',
        column.numeric && 'text-right',
      )}
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
