import { PageSteps } from '@/components/ui/table/page-steps';
import type { ObjectTable } from '@/lib/contract/object-rows';
import { formatRows, formatSearchProgress } from '@/lib/words/format-object';

export interface TablePagerProps {
  readonly table: Pick<ObjectTable, 'rows' | 'remaining' | 'scanned' | 'of'>;
  /** Rows of the pages before. */
  readonly before: number;
  /** Null on the first page. */
  readonly onBack: (() => void) | null;
  /** Null on the last page. */
  readonly onNext: (() => void) | null;
}

/** Where in a list of the API server one is. It tells the next page only, so there is no way to jump. */
export function TablePager({ table: { rows, remaining, scanned, of }, before, onBack, onNext }: TablePagerProps) {
  if (onBack === null && onNext === null && rows.length === 0) return null;
  const noun = { one: of.kind.toLowerCase(), many: of.plural };
  return (
    <PageSteps onBack={onBack} onNext={onNext}>
      <span>
        {scanned === null ? formatRows({ before, here: rows.length, remaining, noun }) : formatSearchProgress(scanned, rows.length)}
      </span>
    </PageSteps>
  );
}
