'use client';

import { Columns3 } from 'lucide-react';
import { Button } from '@/components/ui/button';
import { Menu, MenuCheck, MenuChoice, MenuLabel, MenuSeparator } from '@/components/ui/overlay/menu';
import { usePreferenceChanges, useTableLayout } from '@/components/ui/preferences/use-preferences';
import { t } from '@/lib/words/catalogue/console/views';

const DENSITIES = [
  { value: 'comfortable', label: t.comfortable },
  { value: 'compact', label: t.compact },
] as const;

interface NamedColumn {
  readonly id: string;
  readonly head: string;
  readonly isExtra?: boolean;
}

interface ColumnsMenuProps {
  readonly id: string;
  readonly columns: readonly NamedColumn[];
  /** Set where a page has several tables. */
  readonly isOneOfSeveral?: boolean;
}

/** Which columns a table shows and how high its rows are. The first column names the row, and stays. Cards have no columns, so narrow screens have no use for it. */
export function ColumnsMenu({ id, columns, isOneOfSeveral = false }: ColumnsMenuProps) {
  const name = isOneOfSeveral ? t.columnsAndDensityOf(id) : t.columnsAndDensity;
  const look = useTableLayout(id, columns);
  const { setLook } = usePreferenceChanges();
  const show = (column: NamedColumn, isShown: boolean) =>
    setLook(id, { ...look, hidden: [...look.hidden.filter((one) => one !== column.id), ...(isShown ? [] : [column.id])] });
  return (
    <span className="hidden sm:inline-flex">
      <Menu
        align="end"
        trigger={
          <Button look="ghost" size="icon" aria-label={name} title={name}>
            <Columns3 size={15} aria-hidden />
          </Button>
        }
      >
        <MenuLabel>{t.density}</MenuLabel>
        <MenuChoice
          value={look.dense ? 'compact' : 'comfortable'}
          options={DENSITIES}
          onChange={(value) => setLook(id, { ...look, dense: value === 'compact' })}
        />
        <MenuSeparator />
        <MenuLabel>{t.columns}</MenuLabel>
        {columns.slice(1).map((column) => (
          <MenuCheck key={column.id} checked={!look.hidden.includes(column.id)} onChange={(isShown) => show(column, isShown)}>
            {column.head}
          </MenuCheck>
        ))}
      </Menu>
    </span>
  );
}
