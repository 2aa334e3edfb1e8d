'use client';

import { Search } from 'lucide-react';
import { useEffect, useState } from 'react';
import { cx } from '../cx';

const SETTLE_MS = 200;

export interface SearchBoxProps {
  readonly label: string;
  readonly value: string;
  readonly onSearch: (text: string) => void;
  /** Where it stands in half of a page. */
  readonly isShort?: boolean;
  /** Enter goes to the next of what is found, with Shift to the one before. */
  readonly onStep?: (step: 1 | -1) => void;
}

/** A search field that reports once typing pauses; `/` puts the focus here. */
export function SearchBox({ label, value, onSearch, onStep, isShort = false }: SearchBoxProps) {
  const [typed, setTyped] = useState<string | null>(null);
  useEffect(() => {
    if (typed === null || typed === value) return;
    const timer = setTimeout(() => onSearch(typed), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [typed, value, onSearch]);
  return (
    <div className={cx('relative w-full', isShort ? 'sm:w-48' : 'sm:w-64')}>
      <Search size={14} aria-hidden className="pointer-events-none absolute top-[7px] left-2 text-ink-3" />
      <input
        type="search"
        aria-label={label}
        placeholder={label}
        data-page-search=""
        value={typed ?? value}
        onChange={(event) => setTyped(event.target.value)}
        onKeyDown={(event) => event.key === 'Enter' && onStep?.(event.shiftKey ? -1 : 1)}
        onBlur={() => setTyped(null)}
        className="h-7 w-full rounded-md border border-line-strong bg-panel pr-2 pl-7 text-ink text-xs placeholder:text-ink-3 focus-visible:outline-offset-0"
      />
    </div>
  );
}
