'use client';

import { useQueryClient } from '@tanstack/react-query';
import Link from 'next/link';
import type { KeyboardEvent, MouseEvent } from 'react';
import { useId, useRef, useState } from 'react';
import { useNavigate } from '@/components/live/navigate';
import { cx } from '@/components/ui/cx';
import { TONE_TEXT } from '@/components/ui/status/tone';
import { LINE_PX, useShownPages } from '@/components/ui/virtual/use-shown-pages';
import type { LedgerColumn, LedgerLine } from '@/lib/contract/history/ledger-rows';
import { LEDGER_PAGE } from '@/lib/contract/history/ledger-rows';
import type { LedgerQuery } from '@/lib/contract/lists/ledger-query';
import type { WindowSnapshot } from '@/lib/contract/live';
import { objectHref } from '@/lib/contract/object-address';
import { t } from '@/lib/words/catalogue/delivery/ledger';
import type { Cell } from './grid-keys';
import { cellAfter } from './grid-keys';
import type { LedgerPlace } from './ledger-queries';
import { ledgerQueries } from './ledger-queries';
import { columnStyle, shortRevision } from './ledger-style';
import { cellId, OBJECT_COLUMN, REVISION_COLUMN } from './matrix-line';
import { MatrixPage, SpacerRow } from './matrix-page';

export interface MatrixGridProps {
  readonly place: LedgerPlace;
  readonly query: LedgerQuery;
  readonly columns: readonly LedgerColumn[];
  /** Lines that match. */
  readonly total: number;
}

const HEAD_PX = 44;

/**
 * Objects down, revisions across, the newest first. What is in sight and one screen around it is read, kept and drawn; the head and the objects stay in
 * sight. One cell is active: arrow keys, Page Up and Down, Home and End move it, Enter opens its object.
 */
export function MatrixGrid({ place, query, columns, total }: MatrixGridProps) {
  const region = useRef<HTMLDivElement>(null);
  const base = useId();
  const navigate = useNavigate();
  const lineAt = useLineAt(place, query);
  const [chosen, setActive] = useState<Cell>({ line: 0, column: 0 });
  const active = { line: Math.min(chosen.line, Math.max(0, total - 1)), column: Math.min(chosen.column, columns.length - 1) };
  const { first, last, onScroll } = useShownPages(region, total);
  const goTo = (cell: Cell) => {
    setActive(cell);
    reveal(region.current, cell);
  };
  const press = (event: KeyboardEvent<HTMLDivElement>) => {
    if (event.target !== event.currentTarget) return;
    const screen = Math.max(1, Math.floor(((region.current?.clientHeight ?? LINE_PX) - HEAD_PX) / LINE_PX) - 1);
    const to = cellAfter({ key: event.key, isWhole: event.ctrlKey || event.metaKey }, active, {
      lines: total,
      columns: columns.length,
      screen,
    });
    const line = event.key === 'Enter' ? lineAt(active.line) : undefined;
    if (to !== undefined) goTo(to);
    else if (line?.exists && line.apiVersion !== '') navigate(objectHref(line));
    else return;
    event.preventDefault();
  };
  const click = ({ target }: MouseEvent<HTMLDivElement>) => {
    const cell = target instanceof Element ? target.closest<HTMLElement>('[data-cell]')?.dataset.cell : undefined;
    const [line, column] = (cell ?? '').split(' ').map(Number);
    if (line !== undefined && column !== undefined) setActive({ line, column });
  };
  const pages = Array.from({ length: last - first + 1 }, (_, index) => first + index);
  return (
    <>
      <div ref={region} onScroll={onScroll} className="relative max-h-[max(20rem,calc(100dvh-15rem))] overflow-auto [overflow-anchor:none]">
        <table
          // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a table whose cells are walked by keys is a grid, as ARIA has it
          role="grid"
          aria-label={t.objectsByRevision}
          aria-rowcount={total + 1}
          aria-colcount={columns.length + 1}
          aria-activedescendant={cellId(base, active.line, active.column)}
          tabIndex={0}
          onKeyDown={press}
          onClick={click}
          className="group/grid w-full min-w-max table-fixed border-separate border-spacing-0 outline-none"
        >
          <Head columns={columns} />
          {first === 0 ? null : (
            <tbody>
              <SpacerRow px={first * LEDGER_PAGE * LINE_PX} columns={columns.length} />
            </tbody>
          )}
          {pages.map((page) => (
            <MatrixPage key={page} {...{ place, query, page, total, columns, base, active }} />
          ))}
          {total <= (last + 1) * LEDGER_PAGE ? null : (
            <tbody>
              <SpacerRow px={(total - (last + 1) * LEDGER_PAGE) * LINE_PX} columns={columns.length} />
            </tbody>
          )}
        </table>
      </div>
      <p aria-live="polite" className="min-h-8 border-t px-4 py-1.5 text-ink-2 text-xs">
        {formatCell(lineAt(active.line), columns, active.column)}
      </p>
    </>
  );
}

function Head({ columns }: { readonly columns: readonly LedgerColumn[] }) {
  return (
    <thead className="text-2xs">
      <tr aria-rowindex={1}>
        <th
          scope="col"
          className={cx(OBJECT_COLUMN, 'sticky top-0 left-0 z-30 h-11 border-r border-b bg-panel px-3 text-left font-medium text-ink-3')}
        >
          {t.object}
        </th>
        {columns.map((column) => (
          <th
            key={column.tracker}
            scope="col"
            className={cx(REVISION_COLUMN, 'sticky top-0 z-20 h-11 border-b bg-panel px-1 text-center font-normal sm:px-3 sm:text-left')}
            title={t.isIn(column.revision ?? column.tracker, columnStyle(column.state).word)}
          >
            <RevisionName column={column} />
            <span className={cx('block truncate max-sm:sr-only', TONE_TEXT[columnStyle(column.state).tone])}>
              {columnStyle(column.state).word}
            </span>
          </th>
        ))}
        <th aria-hidden className="sticky top-0 z-20 border-b bg-panel" />
      </tr>
    </thead>
  );
}

/** A revision that has a tracker leads to it. */
function RevisionName({ column }: { readonly column: LedgerColumn }) {
  const name = <span className="block truncate">{shortRevision(column)}</span>;
  if (column.state === 'collected') return <span className="font-medium text-ink-2 text-xs">{name}</span>;
  return (
    <Link href={`/trackers/${column.tracker}`} tabIndex={-1} className="rounded-sm font-medium text-xs hover:underline">
      {name}
    </Link>
  );
}

/** The active cell in words. */
function formatCell(line: LedgerLine | undefined, columns: readonly LedgerColumn[], at: number): string {
  if (line === undefined) return '';
  const object = t.named(line.kind, line.name, line.ns);
  const column = columns[at];
  if (column === undefined) {
    if (line.exists === null) return t.notKnown(object);
    return line.exists ? t.inTheCluster(object) : t.notInTheCluster(object);
  }
  const state = line.cells[at] ?? null;
  return t.cell(object, shortRevision(column), state === null ? t.notPartOf : t.says[state]);
}

/** The line at a place, from the pages that are held. */
function useLineAt(place: LedgerPlace, query: LedgerQuery): (at: number) => LedgerLine | undefined {
  const queries = useQueryClient();
  return (at) => {
    const { queryKey } = ledgerQueries.page(place, { ...query, page: Math.floor(at / LEDGER_PAGE) });
    return queries.getQueryData<WindowSnapshot<LedgerLine>>(queryKey)?.rows[at % LEDGER_PAGE];
  };
}

/** Brings a cell into sight, clear of the head and of the column of objects. */
function reveal(region: HTMLElement | null, { line, column }: Cell): void {
  if (region === null) return;
  const [top, height] = [line * LINE_PX, region.clientHeight - HEAD_PX];
  if (top < region.scrollTop) region.scrollTop = top;
  else if (top + LINE_PX > region.scrollTop + height) region.scrollTop = top + LINE_PX - height;
  const heads = region.querySelectorAll<HTMLElement>('thead th');
  const [objects, head] = [heads[0], heads[column + 1]];
  if (objects === undefined || head === undefined || column < 0) return;
  const [left, width] = [head.offsetLeft - objects.offsetWidth, region.clientWidth - objects.offsetWidth];
  if (left < region.scrollLeft) region.scrollLeft = left;
  else if (left + head.offsetWidth > region.scrollLeft + width) region.scrollLeft = left + head.offsetWidth - width;
}
