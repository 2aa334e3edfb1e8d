'use client';

import type { FormEvent } from 'react';
import { useState } from 'react';
import { t } from '@/lib/words/catalogue/console/views';

export interface PageBoxProps {
  /** Counted from 0, as the address has it. */
  readonly page: number;
  readonly lastPage: number;
  /** True where there are more pages than were counted. */
  readonly isOpen: boolean;
  readonly onPage: (page: number) => void;
}

/** The number of the page, to be written over with another one; what is past either end goes to that end. */
export function PageBox({ page, lastPage, isOpen, onPage }: PageBoxProps) {
  const [typed, setTyped] = useState(String(page + 1));
  const go = () => {
    const wanted = Math.floor(Number(typed)) - 1;
    if (typed.trim() === '' || !Number.isFinite(wanted)) return setTyped(String(page + 1));
    const next = Math.max(0, isOpen ? wanted : Math.min(wanted, lastPage));
    setTyped(String(next + 1));
    if (next !== page) onPage(next);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    go();
  };
  return (
    <form onSubmit={submit} className="mr-1 flex items-center gap-1.5 print:hidden">
      <label className="flex items-center gap-1.5">
        {t.page}
        <input
          inputMode="numeric"
          autoComplete="off"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          onBlur={go}
          className="h-7 w-12 rounded-md border border-line-strong bg-panel px-1.5 text-center text-ink-2 text-xs focus-visible:outline-offset-0"
        />
      </label>
      {isOpen ? null : <span>{t.ofPages(lastPage + 1)}</span>}
    </form>
  );
}
