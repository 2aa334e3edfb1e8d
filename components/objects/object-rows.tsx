import { Boxes, Trash2 } from 'lucide-react';
import { Age } from '@/components/live/ago';
import { OWNER_COLUMN } from '@/components/live/filters/metadata-columns';
import { NoMatch } from '@/components/live/filters/no-match';
import type { Column } from '@/components/ui/data/data-table';
import { DataTable } from '@/components/ui/data/data-table';
import { Empty } from '@/components/ui/data/empty';
import { objectPageHref } from '@/lib/contract/object-address';
import type { ObjectTable, TableRow } from '@/lib/contract/object-rows';
import { readEscapedName } from '@/lib/std/text/hidden-characters';
import { t } from '@/lib/words/catalogue/objects/objects';

export interface ObjectRowsProps {
  readonly table: Pick<ObjectTable, 'of' | 'columns' | 'rows'>;
  readonly named: string;
  /** Whether rows may be of several namespaces. */
  readonly showsNamespace: boolean;
  readonly isWide: boolean;
  readonly isFiltered: boolean;
  readonly onClear: () => void;
  readonly selected: ReadonlySet<string>;
  readonly onSelect: (keys: ReadonlySet<string>) => void;
}

const IN_CARD = 4;

/** Objects of a kind with the columns that the API server prints; narrow screens get cards. */
export function ObjectRows({ table, named, showsNamespace, isWide, isFiltered, onClear, selected, onSelect }: ObjectRowsProps) {
  const { of, rows } = table;
  const columns = objectColumns(table, { isWide, showsNamespace });
  if (rows.length === 0) {
    return isFiltered ? (
      <NoMatch title={t.noMatch(of.plural)} onClear={onClear}>
        {t.changeTheNameTheLabels}
      </NoMatch>
    ) : (
      <Empty icon={<Boxes size={17} aria-hidden />} title={t.thereAreNo(of.plural)}>
        {t.noneHasBeenCreatedYet}
      </Empty>
    );
  }
  return (
    <DataTable
      label={of.kind}
      rows={rows}
      columns={columns}
      hrefOf={({ ns: own, name }) => objectPageHref({ group: of.group, named, ns: own, name: readEscapedName(name), version: undefined })}
      selection={{ keys: selected, onSelect, labelOf: ({ name }) => name }}
      card={(row) => <ObjectCard row={row} columns={columns} />}
    />
  );
}

/** The name, the namespace where rows differ in it, and what the API server prints. */
export function objectColumns(
  { columns }: Pick<ObjectTable, 'columns'>,
  { isWide, showsNamespace }: { readonly isWide: boolean; readonly showsNamespace: boolean },
): readonly Column<TableRow>[] {
  const name: Column<TableRow> = { id: 'name', head: t.name, cell: (row) => <Name row={row} /> };
  const namespace: Column<TableRow> = { id: 'namespace', head: t.namespace, className: 'text-ink-2', cell: ({ ns }) => ns };
  const printed = columns.flatMap((column, at): Column<TableRow>[] => {
    if (column.name.toLowerCase() === 'name' || (column.priority > 0 && !isWide)) return [];
    const base = { id: `${at} ${column.name}`, head: column.name, numeric: column.type === 'integer' || column.type === 'number' };
    if (column.name === 'Age') return [{ ...base, className: 'text-ink-3', cell: ({ createdAt }) => <Age at={createdAt} /> }];
    return [{ ...base, className: 'max-w-80 wrap-anywhere', cell: ({ cells }) => cells[at] || <span className="text-ink-4">–</span> }];
  });
  return [name, ...(showsNamespace ? [namespace] : []), ...printed, OWNER_COLUMN];
}

function Name({ row }: { readonly row: TableRow }) {
  return (
    <span className="wrap-anywhere">
      {row.name}
      {row.deleting ? (
        <span className="ml-2 inline-flex items-center gap-1 font-normal text-warn text-xs">
          <Trash2 size={11} aria-hidden /> {t.beingDeleted}
        </span>
      ) : null}
    </span>
  );
}

function ObjectCard({ row, columns }: { readonly row: TableRow; readonly columns: readonly Column<TableRow>[] }) {
  return (
    <>
      <p className="font-medium">
        <Name row={row} />
      </p>
      <dl className="mt-1 grid grid-cols-2 gap-x-4 gap-y-0.5 text-xs">
        {columns.slice(1, 1 + IN_CARD).map(({ id, head, cell }) => (
          <div key={id} className="min-w-0">
            <dt className="inline text-ink-3">{head} </dt>
            <dd className="inline wrap-anywhere">{cell(row)}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}
