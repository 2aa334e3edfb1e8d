'use client';

import Link from 'next/link';
import { memo } from 'react';
import { cx } from '@/components/ui/cx';
import type { LedgerColumn, LedgerLine } from '@/lib/contract/history/ledger-rows';
import type { LedgerState } from '@/lib/contract/lists/ledger-query';
import { objectHref } from '@/lib/contract/object-address';
import { deepEqual } from '@/lib/std/deep-equal';
import { t } from '@/lib/words/catalogue/delivery/ledger';
import { LedgerGlyph } from './ledger-glyph';
import { shortRevision } from './ledger-style';

/** Widths of the columns: of objects, and of a revision. Words stand in the cells where there is room for them. */
export const OBJECT_COLUMN = 'w-40 sm:w-72';
export const REVISION_COLUMN = 'w-12 sm:w-30';

export interface MatrixLineProps {
  readonly line: LedgerLine;
  readonly columns: readonly LedgerColumn[];
  readonly at: number;
  readonly base: string;
  /** The active cell's column, where it is on this line. */
  readonly active: number | null;
}

/** One object across the revisions. A page is pushed with the lines that changed; only those are drawn again. */
export const MatrixLine = memo(DrawnLine, (before, after) => deepEqual(before, after));

const RING = 'group-focus-visible/grid:outline-2 group-focus-visible/grid:outline-accent group-focus-visible/grid:-outline-offset-2';

/** The id of a cell, by which the grid names the active one. */
export function cellId(base: string, line: number, column: number): string {
  return `${base}-${line}-${column}`;
}

function DrawnLine({ line, columns, at, base, active }: MatrixLineProps) {
  return (
    <tr aria-rowindex={at + 2} className="group/line hover:bg-hover">
      <th
        scope="row"
        id={cellId(base, at, -1)}
        data-cell={`${at} -1`}
        className={cx(
          OBJECT_COLUMN,
          'sticky left-0 z-10 h-10 border-r border-b bg-panel px-3 text-left align-middle font-normal leading-4',
          active === -1 && RING,
        )}
      >
        <span title={line.name} className="block truncate font-medium">
          {line.exists && line.apiVersion !== '' ? (
            <Link href={objectHref(line)} tabIndex={-1} className="rounded-sm hover:underline">
              {line.name}
            </Link>
          ) : (
            line.name
          )}
        </span>
        <span className="block truncate text-2xs text-ink-3">{line.ns === null ? line.kind : t.objectIn(line.kind, line.ns)}</span>
      </th>
      {columns.map((column, index) => (
        <StateCell
          key={column.tracker}
          id={cellId(base, at, index)}
          cell={`${at} ${index}`}
          column={column}
          state={line.cells[index] ?? null}
          isActive={active === index}
        />
      ))}
      <td aria-hidden className="border-b" />
    </tr>
  );
}

interface StateCellProps {
  readonly id: string;
  readonly cell: string;
  readonly column: LedgerColumn;
  readonly state: LedgerState | null;
  readonly isActive: boolean;
}

function StateCell({ id, cell, column, state, isActive }: StateCellProps) {
  const word = state === null ? t.notPartOfIt : t.words[state];
  return (
    <td
      id={id}
      data-cell={cell}
      title={t.isIn(shortRevision(column), word)}
      className={cx(REVISION_COLUMN, 'h-10 border-b px-1 text-2xs text-ink-2 sm:px-3', isActive && RING)}
    >
      <span className="flex items-center justify-center gap-1.5 sm:justify-start">
        {state === null ? (
          <span aria-hidden className="text-ink-4">
            ·
          </span>
        ) : (
          <LedgerGlyph state={state} />
        )}
        <span className={cx('truncate', state === null ? 'sr-only' : 'max-sm:sr-only')}>{word}</span>
      </span>
    </td>
  );
}
