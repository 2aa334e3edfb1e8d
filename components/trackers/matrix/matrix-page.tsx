'use client';

import { useLiveWindow } from '@/components/live/use-live-topic';
import { asSentence } from '@/components/ui/as-sentence';
import { Spacer } from '@/components/ui/virtual/spacer';
import { LINE_PX } from '@/components/ui/virtual/use-shown-pages';
import { messageOf } from '@/lib/contract/app-error';
import type { LedgerColumn } from '@/lib/contract/history/ledger-rows';
import { LEDGER_PAGE } from '@/lib/contract/history/ledger-rows';
import type { LedgerQuery } from '@/lib/contract/lists/ledger-query';
import { t } from '@/lib/words/catalogue/delivery/ledger';
import type { Cell } from './grid-keys';
import type { LedgerPlace } from './ledger-queries';
import { ledgerQueries } from './ledger-queries';
import { MatrixLine } from './matrix-line';

interface MatrixPageProps {
  readonly place: LedgerPlace;
  readonly query: LedgerQuery;
  readonly page: number;
  readonly total: number;
  readonly columns: readonly LedgerColumn[];
  readonly base: string;
  readonly active: Cell;
}

/** The lines of one page, subscribed while they are near what is looked at. */
export function MatrixPage({ place, query, page, total, columns, base, active }: MatrixPageProps) {
  const { data, error } = useLiveWindow(ledgerQueries.page(place, { ...query, page }));
  const start = page * LEDGER_PAGE;
  const lines = Math.min(LEDGER_PAGE, Math.max(0, total - start));
  if (data === undefined) {
    return (
      <tbody>
        {error === null ? null : (
          <tr>
            <td colSpan={columns.length + 2} className="h-10 px-4 text-bad text-xs">
              {t.linesCouldNotBeRead(asSentence(messageOf(error)))}
            </td>
          </tr>
        )}
        <SpacerRow px={(error === null ? lines : lines - 1) * LINE_PX} columns={columns.length} className="animate-shimmer bg-sunken" />
      </tbody>
    );
  }
  return (
    <tbody>
      {data.rows.map((line, index) => (
        <MatrixLine
          key={line.key}
          line={line}
          columns={columns}
          at={start + index}
          base={base}
          active={active.line === start + index ? active.column : null}
        />
      ))}
    </tbody>
  );
}

/** Room for lines that are not drawn. */
export function SpacerRow({ px, columns, className }: { readonly px: number; readonly columns: number; readonly className?: string }) {
  if (px <= 0) return null;
  return (
    <tr aria-hidden>
      <td colSpan={columns + 2} className="p-0">
        <Spacer px={px} {...(className === undefined ? {} : { className })} />
      </td>
    </tr>
  );
}
