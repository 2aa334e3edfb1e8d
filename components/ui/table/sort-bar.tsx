'use client';

import { ArrowDown, ArrowUp } from 'lucide-react';
import { t } from '@/lib/words/catalogue/console/views';
import { Button } from '../button';
import type { Column, Sorting } from '../data/data-table';
import { SelectBox } from '../form/field';

export interface SortBarProps<Row> {
  readonly columns: readonly Column<Row>[];
  readonly sorting: Sorting;
}

/** How cards are sorted: they have no column heads to press. */
export function SortBar<Row>({ columns, sorting: { by, desc, onSort } }: SortBarProps<Row>) {
  const sorted = columns.flatMap(({ head, sort }) => (sort === undefined ? [] : [{ head, sort }]));
  if (sorted.length === 0) return null;
  return (
    <div className="flex items-center gap-1.5 border-b px-4 py-1.5 @3xl:hidden print:hidden">
      <SelectBox label={t.sortBy} value={by ?? ''} onChange={(event) => onSort(event.target.value, false)}>
        {by === undefined ? <option value="">{t.defaultOrder}</option> : null}
        {sorted.map(({ head, sort }) => (
          <option key={sort} value={sort}>
            {head}
          </option>
        ))}
      </SelectBox>
      {by === undefined ? null : (
        <Button look="ghost" onClick={() => onSort(by, !desc)}>
          {desc ? <ArrowDown size={13} aria-hidden /> : <ArrowUp size={13} aria-hidden />} {desc ? t.descending : t.ascending}
        </Button>
      )}
    </div>
  );
}
