import { ChevronLeft, ChevronRight } from 'lucide-react';
import { Button } from '@/components/ui/button';
import type { ObjectTable } from '@/lib/contract/object-rows';
import { t } from '@/lib/words/catalogue/objects/objects';
import { sayLooked, sayRows } from '@/lib/words/say-object';

export interface TablePagerProps {
  readonly table: Pick<ObjectTable, 'rows' | 'remaining' | 'looked' | 'of'>;
  /** Rows of the pages before. */
  readonly before: number;
  /** Null on the first page. */
  readonly onBack: (() => void) | null;
  /** Null on the last page. */
  readonly onNext: (() => void) | null;
}

/** Where in a list of the API server one is. It tells the next page only, so there is no way to jump. */
export function TablePager({ table: { rows, remaining, looked, of }, before, onBack, onNext }: TablePagerProps) {
  if (onBack === null && onNext === null && rows.length === 0) return null;
  const noun = { one: of.kind.toLowerCase(), many: of.plural };
  return (
    <nav aria-label={t.pages} className="flex min-h-10 items-center gap-2 border-t px-4 text-ink-3 text-xs">
      <span>{looked === null ? sayRows({ before, here: rows.length, remaining, noun }) : sayLooked(looked, rows.length)}</span>
      <span className="ml-auto flex gap-1">
        <Button
          look="ghost"
          size="icon"
          aria-label={t.previousPage}
          blocked={onBack === null ? t.thisIsTheFirstPage : null}
          onClick={() => onBack?.()}
        >
          <ChevronLeft size={15} aria-hidden />
        </Button>
        <Button
          look="ghost"
          size="icon"
          aria-label={t.nextPage}
          blocked={onNext === null ? t.thisIsTheLastPage : null}
          onClick={() => onNext?.()}
        >
          <ChevronRight size={15} aria-hidden />
        </Button>
      </span>
    </nav>
  );
}
