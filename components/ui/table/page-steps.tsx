import { ChevronLeft, ChevronRight } from 'lucide-react';
import type { ReactNode } from 'react';
import { t } from '@/lib/words/catalogue/console/ui';
import { Button } from '../button';

export interface PageStepsProps {
  /** Which rows these are, of how many. */
  readonly children: ReactNode;
  /** A way to any page; absent where only the next one is known. */
  readonly jump?: ReactNode;
  /** What the step back is called where it leads elsewhere than one page back. */
  readonly backLabel?: string;
  /** Null on the first page. */
  readonly onBack: (() => void) | null;
  /** Null on the last page. */
  readonly onNext: (() => void) | null;
}

/** The foot of a table that has several pages: where one is, and a step to either side. */
export function PageSteps({ children, jump, backLabel = t.previousPage, onBack, onNext }: PageStepsProps) {
  return (
    <nav aria-label={t.pages} className="flex min-h-10 items-center gap-2 border-t px-4 text-ink-3 text-xs">
      {children}
      <span className="ml-auto flex items-center gap-1">
        {jump}
        <Button
          look="ghost"
          size="icon"
          aria-label={backLabel}
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
