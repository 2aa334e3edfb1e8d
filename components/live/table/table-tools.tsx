'use client';

import type { Column } from '@/components/ui/data/data-table';
import { ColumnsMenu } from './columns-menu';
import { ViewsMenu } from './views-menu';

export interface TableToolsProps<Row> {
  /** Under which columns and density are kept, as `DataTable` is told it. */
  readonly id: string;
  readonly columns: readonly Column<Row>[];
}

/** What every table has at the end of its filters: saved views of the page, columns and density. */
export function TableTools<Row>({ id, columns }: TableToolsProps<Row>) {
  return (
    <div className="ml-auto flex items-center gap-1 print:hidden">
      <ViewsMenu />
      <ColumnsMenu id={id} columns={columns} />
    </div>
  );
}
