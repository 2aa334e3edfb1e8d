import { cx } from '../cx';
import { Panel } from '../panel';

/** A grey bar where text will be. */
export function Skeleton({ height = 'h-3', className }: { readonly height?: string; readonly className?: string }) {
  return <span aria-hidden="true" className={cx('block animate-shimmer rounded-sm bg-pressed', height, className)} />;
}

/** So many columns fit where rows will be cards. */
const MAX_NARROW = 3;
const WIDTHS = ['w-3/5', 'w-2/5', 'w-4/5', 'w-1/2', 'w-2/3'];

/** Rows where a table will be. */
export function SkeletonRows({ rows = 8, columns = 4 }: { readonly rows?: number; readonly columns?: number }) {
  return (
    <div aria-hidden="true" className="divide-y">
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows are alike and never move
        <div key={row} className="flex h-10 items-center gap-6 px-4">
          {Array.from({ length: columns }, (_, column) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the cells are alike and never move
            <span key={column} className={cx('flex-1', column >= MAX_NARROW && 'hidden sm:block')}>
              <Skeleton className={WIDTHS[(row + column * 2) % WIDTHS.length] ?? 'w-1/2'} />
            </span>
          ))}
        </div>
      ))}
    </div>
  );
}

export interface SkeletonPanelsProps {
  readonly shape: readonly (readonly [rows: number, columns: number])[];
}

/** Panels where a page will be: of each its rows and columns. */
export function SkeletonPanels({ shape }: SkeletonPanelsProps) {
  return (
    <div className="space-y-4">
      {shape.map(([rows, columns], at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the panels never move
        <Panel key={at}>
          <SkeletonRows rows={rows} columns={columns} />
        </Panel>
      ))}
    </div>
  );
}
