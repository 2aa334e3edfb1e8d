import { ChevronRight } from 'lucide-react';
import Link from 'next/link';
import type { ReactNode } from 'react';
import { Fragment } from 'react';
import { t } from '@/lib/words/catalogue/console/ui';
import { showHidden } from '@/lib/words/show-hidden';

export interface PageHeadProps {
  readonly breadcrumbs?: readonly { readonly label: string; readonly href: string }[];
  readonly title: ReactNode;
  /** Beside the title, and no part of it. */
  readonly aside?: ReactNode;
  readonly note?: ReactNode;
  readonly actions?: ReactNode;
}

/** The head of a page: where one is, its name, and what can be done here. A name may come from the address, which anybody may have written. */
export function PageHead({ breadcrumbs, title, aside, note, actions }: PageHeadProps) {
  return (
    <div className="mb-4 flex flex-wrap items-end gap-x-4 gap-y-3">
      <div className="min-w-0 flex-1 basis-full sm:basis-64">
        {breadcrumbs ? (
          <nav aria-label={t.breadcrumb} className="mb-1 flex flex-wrap items-center gap-1 text-ink-3 text-xs">
            {breadcrumbs.map((step, at) => (
              <Fragment key={step.href}>
                {at > 0 ? <ChevronRight size={12} aria-hidden className="shrink-0 text-ink-4" /> : null}
                <Link href={step.href} className="min-w-0 rounded-sm wrap-anywhere hover:text-ink">
                  {showHidden(step.label)}
                </Link>
              </Fragment>
            ))}
          </nav>
        ) : null}
        <div className="flex items-center gap-x-2">
          <h1 className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1 font-semibold text-xl wrap-anywhere">
            {typeof title === 'string' ? showHidden(title) : title}
          </h1>
          {aside}
        </div>
        {note ? <div className="mt-1 text-ink-2 wrap-anywhere">{note}</div> : null}
      </div>
      {actions ? <div className="flex flex-wrap items-center gap-2 print:hidden">{actions}</div> : null}
    </div>
  );
}
