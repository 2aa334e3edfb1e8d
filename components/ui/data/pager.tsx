'use client';

import { t } from '@/lib/words/catalogue/console/ui';
import type { Noun } from '@/lib/words/figures';
import { PageBox } from '../table/page-box';
import { PageSteps } from '../table/page-steps';

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
    <PageSteps
      jump={lastPage > 0 ? <PageBox key={page} page={page} lastPage={lastPage} isOpen={more} onPage={onPage} /> : null}
      {...(isPast ? { backLabel: t.lastPage } : {})}
      onBack={page === 0 ? null : () => onPage(Math.min(page - 1, lastPage))}
      onNext={last >= total && !more ? null : () => onPage(page + 1)}
    >
      <span role={isPast ? 'status' : undefined}>
        {isPast ? t.theListEndsBeforeThis(total, noun) : t.of({ first, last, part: more ? t.moreThan : '', total, noun })}
      </span>
    </PageSteps>
  );
}
