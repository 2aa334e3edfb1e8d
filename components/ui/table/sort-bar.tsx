'use client';

import { ArrowDown, ArrowUp } from 'lucide-react';
import { t } from '@/lib/words/catalogue/console/views';
import { Button } from '../button';
import { SelectBox } from '../form/field';

export interface SortBarProps {
  readonly columns: readonly { readonly head: string; readonly sort?: string }[];
  readonly sorting: { readonly by: string | undefined; readonly desc: boolean; readonly onSort: (by: string, desc: boolean) => void };
}

/** How cards are sorted: they have no column heads to press. */
export function SortBar({ columns, sorting: { by, desc, onSort } }: SortBarProps) {
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
