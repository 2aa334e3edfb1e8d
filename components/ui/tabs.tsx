'use client';

import type { KeyboardEvent, ReactNode } from 'react';
import { useId, useState } from 'react';
import { formatNumber } from '@/lib/words/figures';
import { cx } from './cx';

export interface Tab {
  readonly id: string;
  readonly label: string;
  readonly count?: number;
  readonly body: ReactNode;
}

export interface TabsProps {
  readonly tabs: readonly Tab[];
  readonly label: string;
  /** The one that is shown, where that is kept elsewhere, in the address for instance. */
  readonly shown?: string | undefined;
  readonly onShow?: (id: string) => void;
}

const STEP: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowLeft: -1 };

/** Several views of one thing, one at a time; the arrow keys, Home and End move between them. */
export function Tabs({ tabs, label, shown: asked, onShow }: TabsProps) {
  const [held, setHeld] = useState(tabs[0]?.id);
  const chosen = tabs.some(({ id }) => id === asked) ? asked : held;
  const setChosen = (id: string) => {
    setHeld(id);
    onShow?.(id);
  };
  const base = useId();
  const move = (event: KeyboardEvent<HTMLDivElement>) => {
    const at = tabs.findIndex((tab) => tab.id === chosen);
    const step = STEP[event.key];
    const next =
      event.key === 'Home'
        ? 0
        : event.key === 'End'
          ? tabs.length - 1
          : step === undefined
            ? undefined
            : (at + step + tabs.length) % tabs.length;
    const tab = next === undefined ? undefined : tabs[next];
    if (!tab) return;
    event.preventDefault();
    setChosen(tab.id);
    document.getElementById(`${base}-${tab.id}`)?.focus();
  };
  const shown = tabs.find((tab) => tab.id === chosen);
  return (
    <>
      <div role="tablist" aria-label={label} onKeyDown={move} className="flex overflow-x-auto overflow-y-hidden border-b px-2 sm:flex-wrap">
        {tabs.map((tab) => (
          <button
            key={tab.id}
            type="button"
            role="tab"
            id={`${base}-${tab.id}`}
            aria-selected={tab.id === chosen}
            aria-controls={`${base}-panel`}
            tabIndex={tab.id === chosen ? 0 : -1}
            onClick={() => setChosen(tab.id)}
            className={cx(
              'focus-inset -mb-px inline-flex h-10 items-center gap-1.5 whitespace-nowrap border-b-2 px-2 font-medium text-sm',
              tab.id === chosen
                ? 'border-accent text-ink forced-colors:border-b-[Highlight]'
                : 'border-transparent text-ink-3 hover:text-ink forced-colors:border-b-[Canvas]',
            )}
          >
            {tab.label}
            {tab.count === undefined ? null : (
              <span className="rounded-sm bg-pressed px-1 text-2xs text-ink-2">{formatNumber(tab.count)}</span>
            )}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${base}-panel`} aria-labelledby={`${base}-${chosen}`}>
        {shown?.body}
      </div>
    </>
  );
}
