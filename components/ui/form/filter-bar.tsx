'use client';

import { SlidersHorizontal } from 'lucide-react';
import type { ReactNode } from 'react';
import { useId, useState } from 'react';
import { t } from '@/lib/words/catalogue/console/filters';
import { Button } from '../button';
import { cx } from '../cx';

export interface FilterBarProps {
  /** Always in sight. */
  readonly search: ReactNode;
  /** How many filters are set, what is searched for aside. */
  readonly count: number;
  /** What folds away where there is little room. */
  readonly children: ReactNode;
  /** What stays in sight after it: acts on what is listed. */
  readonly acts?: ReactNode;
  /** Where it is no head of a panel. */
  readonly isBare?: boolean;
}

/** What narrows a list, in a line; on narrow screens all but the search folds behind one button, which says how many are set. */
export function FilterBar({ search, count, children, acts, isBare = false }: FilterBarProps) {
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  return (
    <div className={cx('flex flex-wrap items-start gap-2 print:hidden', isBare ? undefined : 'border-b px-4 py-2')}>
      <div className="max-sm:min-w-0 max-sm:flex-1 sm:contents">{search}</div>
      <FilterToggle controls={id} {...{ count, isOpen }} onToggle={setOpen} />
      <div id={id} className={cx('flex-wrap items-start gap-2 sm:contents', isOpen ? 'flex basis-full' : 'hidden')}>
        {children}
      </div>
      {acts}
    </div>
  );
}

export interface FilterToggleProps {
  /** The id of what it shows and hides. */
  readonly controls: string;
  readonly count: number;
  readonly isOpen: boolean;
  readonly onToggle: (isOpen: boolean) => void;
}

/** On narrow screens: shows and hides the filters, and says how many are set. */
export function FilterToggle({ controls, count, isOpen, onToggle }: FilterToggleProps) {
  return (
    <Button className="sm:hidden" aria-expanded={isOpen} aria-controls={controls} onClick={() => onToggle(!isOpen)}>
      <SlidersHorizontal size={13} aria-hidden /> {count === 0 ? t.filters : t.several(t.filters, count)}
    </Button>
  );
}
