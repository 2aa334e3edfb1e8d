'use client';

import { useLiveWindow } from '@/components/live/use-live-topic';
import { asSentence } from '@/components/ui/as-sentence';
import { Spacer } from '@/components/ui/virtual/spacer';
import { LINE_PX } from '@/components/ui/virtual/use-shown-pages';
import { messageOf } from '@/lib/contract/app-error';
import type { TreeQuery } from '@/lib/contract/lists/tree-query';
import { TREE_PAGE } from '@/lib/contract/tree-rows';
import { t } from '@/lib/words/catalogue/delivery/tree';
import { TreeLine } from './tree-line';
import type { TreePlace } from './tree-queries';
import { treeQueries } from './tree-queries';

export interface TreePageProps {
  readonly place: TreePlace;
  readonly query: TreeQuery;
  readonly page: number;
  /** Lines of the list in all. */
  readonly total: number;
  /** Names a line by its place. */
  readonly idOf: (at: number) => string;
  /** Place of the active line, where it is on this page. */
  readonly active: number | null;
  /** The id of the picked object. */
  readonly picked: string | null;
}

/** The lines of one page, subscribed while they are near what is looked at. */
export function TreePage({ place, query, page, total, idOf, active, picked }: TreePageProps) {
  const { data, error } = useLiveWindow(treeQueries.page(place, { ...query, page }));
  const start = page * TREE_PAGE;
  const lines = Math.min(TREE_PAGE, Math.max(0, total - start));
  if (data === undefined) {
    return error === null ? (
      <Spacer
        px={lines * LINE_PX}
        className="animate-shimmer bg-[repeating-linear-gradient(var(--color-sunken)_0_39px,var(--color-line)_39px_40px)]"
      />
    ) : (
      <>
        <p className="h-10 px-4 py-2 text-bad text-xs">{t.theseLinesCouldNotBe(asSentence(messageOf(error)))}</p>
        <Spacer px={Math.max(0, lines - 1) * LINE_PX} />
      </>
    );
  }
  return (
    <div role="presentation" data-lines={data.rows.length}>
      {data.rows.map((line, index) => (
        <TreeLine
          key={line.key}
          line={line}
          at={start + index}
          total={total}
          id={idOf(start + index)}
          isActive={active === start + index}
          isPicked={picked === line.id}
        />
      ))}
    </div>
  );
}
