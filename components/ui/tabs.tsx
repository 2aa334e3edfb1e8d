'use client';

import type { KeyboardEvent, ReactNode } from 'react';
import { useEffect, useId, useRef, useState } from 'react';
import { formatNumber } from '@/lib/words/figures';
import { cx } from './cx';
import { usePrinting } from './print/use-printing';

export interface Tab {
  readonly id: string;
  readonly label: string;
  /** Of what is there already, and so is printed also while another tab is open. */
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

/** Which of so many tabs a key leads to from the one at a place; undefined where it leads nowhere. */
function placeAfter(key: string, at: number, count: number): number | undefined {
  if (key === 'Home') return 0;
  if (key === 'End') return count - 1;
  const step = STEP[key];
  return step === undefined ? undefined : (at + step + count) % count;
}

/** Brings a tab into view where its strip is too narrow for all. The strip alone moves, at once, and not the page. */
function bringIntoView(strip: HTMLElement | null, tab: HTMLElement | null): void {
  if (strip === null || tab === null) return;
  const [all, one] = [strip.getBoundingClientRect(), tab.getBoundingClientRect()];
  if (one.left < all.left || one.right > all.right) strip.scrollLeft += (one.left + one.right - all.left - all.right) / 2;
}

/** Several views of one thing, one at a time; the arrow keys, Home and End move between them. Paper shows all that are there, one after the other. */
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
    const next = placeAfter(event.key, at, tabs.length);
    const tab = next === undefined ? undefined : tabs[next];
    if (!tab) return;
    event.preventDefault();
    setChosen(tab.id);
    document.getElementById(`${base}-${tab.id}`)?.focus();
  };
  const shown = tabs.find((tab) => tab.id === chosen);
  const strip = useRef<HTMLDivElement>(null);
  useEffect(() => bringIntoView(strip.current, document.getElementById(`${base}-${chosen}`)), [base, chosen]);
  const isPrinting = usePrinting();
  return (
    <>
      <div
        ref={strip}
        role="tablist"
        aria-label={label}
        onKeyDown={move}
        className="flex overflow-x-auto overflow-y-hidden border-b px-2 sm:flex-wrap print:hidden"
      >
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
        {isPrinting && shown ? <PrintedTitle tab={shown} /> : null}
        {shown?.body}
      </div>
      {isPrinting ? <PrintedTabs tabs={tabs.filter((tab) => tab !== shown && tab.count !== undefined)} /> : null}
    </>
  );
}

function PrintedTabs({ tabs }: Pick<TabsProps, 'tabs'>) {
  return tabs.map((tab) => (
    <div key={tab.id} className="border-t">
      <PrintedTitle tab={tab} />
      {tab.body}
    </div>
  ));
}

function PrintedTitle({ tab: { label, count } }: { readonly tab: Tab }) {
  return (
    <h3 className="px-4 pt-3 pb-1 font-semibold">
      {label} {count === undefined ? null : <span className="font-normal text-ink-3 text-xs">{formatNumber(count)}</span>}
    </h3>
  );
}
