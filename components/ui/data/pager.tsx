'use client';

import { ChevronLeft, ChevronRight } from 'lucide-react';
import { t } from '@/lib/words/catalogue/console/ui';
import type { Noun } from '@/lib/words/figures';
import { Button } from '../button';
import { PageBox } from '../table/page-box';

export interface PagerProps {
  readonly page: number;
  readonly size: number;
  readonly total: number;
  /** True where `total` is as far as was counted, and there are more. */
  readonly more?: boolean;
  readonly noun: Noun;
  readonly onPage: (page: number) => void;
}

/** Where in a list one is, and the way to its other pages. */
export function Pager({ page, size, total, more = false, noun, onPage }: PagerProps) {
  if (total === 0) return null;
  // A list that grew shorter, or an address from before it did: what is shown is nothing, and the way back is its last page.
  const lastPage = Math.ceil(total / size) - 1;
  const isPast = page > lastPage;
  const first = Math.min(total, page * size + 1);
  const last = Math.min(total, (page + 1) * size);
  return (
    <nav aria-label={t.pages} className="flex min-h-10 items-center gap-2 border-t px-4 text-ink-3 text-xs">
      <span role={isPast ? 'status' : undefined}>
        {isPast ? t.theListEndsBeforeThis(total, noun) : t.of({ first, last, part: more ? t.moreThan : '', total, noun })}
      </span>
      <span className="ml-auto flex items-center gap-1">
        {lastPage > 0 ? <PageBox key={page} page={page} lastPage={lastPage} isOpen={more} onPage={onPage} /> : null}
        <Button
          look="ghost"
          size="icon"
          aria-label={isPast ? t.lastPage : t.previousPage}
          blocked={page === 0 ? t.thisIsTheFirstPage : null}
          onClick={() => onPage(Math.min(page - 1, lastPage))}
        >
          <ChevronLeft size={15} aria-hidden />
        </Button>
        <Button
          look="ghost"
          size="icon"
          aria-label={t.nextPage}
          blocked={last >= total && !more ? t.thisIsTheLastPage : null}
          onClick={() => onPage(page + 1)}
        >
          <ChevronRight size={15} aria-hidden />
        </Button>
      </span>
    </nav>
  );
}
