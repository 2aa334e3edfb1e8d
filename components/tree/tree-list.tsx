'use client';

import { useQueryClient } from '@tanstack/react-query';
import type { KeyboardEvent, MouseEvent } from 'react';
import { useEffect, useId, useRef, useState } from 'react';
import { Spacer } from '@/components/ui/virtual/spacer';
import { LINE_PX, useShownPages } from '@/components/ui/virtual/use-shown-pages';
import type { TreeQuery } from '@/lib/contract/lists/tree-query';
import type { WindowSnapshot } from '@/lib/contract/live';
import type { TreeLine, TreeLocation } from '@/lib/contract/tree-rows';
import { TREE_PAGE } from '@/lib/contract/tree-rows';
import { t } from '@/lib/words/catalogue/delivery/tree';
import { TreePage } from './tree-page';
import type { TreePlace } from './tree-queries';
import { treeQueries } from './tree-queries';
import { PRINTED_PAGES } from './use-print-all';

export interface TreeListProps {
  readonly place: TreePlace;
  readonly query: TreeQuery;
  readonly total: number;
  /** The picked object and where it stands; null while none is, or while it is not known yet. */
  readonly location: TreeLocation | null;
  /** All of it is drawn, for paper. */
  readonly showsAll: boolean;
  /** Somebody picks a line; `look` when they want to see it close up. */
  readonly onPick: (line: TreeLine, look: boolean) => void;
  readonly onToggle: (line: TreeLine) => void;
}

/**
 * All objects of an application, however many: what is in sight and one screen around it is read, kept and drawn. One line is active;
 * arrow keys, Page Up and Down, Home and End move it, left and right close and open, Space picks, Enter looks closer.
 */
export function TreeList({ place, query, total, location, showsAll, onPick, onToggle }: TreeListProps) {
  const region = useRef<HTMLDivElement>(null);
  const base = useId();
  const idOf = (at: number) => `${base}-${at}`;
  const lineAt = useLineAt(place, query);
  const [chosen, setActive] = useState(0);
  const active = Math.min(chosen, Math.max(0, total - 1));
  const { onScroll, ...near } = useShownPages(region, total);
  const { first, last } = showsAll ? { first: 0, last: Math.min(PRINTED_PAGES, Math.ceil(total / TREE_PAGE)) - 1 } : near;
  const goTo = (at: number) => {
    setActive(at);
    reveal(region.current, at);
  };
  useFollowPicked(location, goTo);

  const press = (event: KeyboardEvent<HTMLDivElement>) => {
    const line = lineAt(active);
    const screen = Math.max(1, Math.floor((region.current?.clientHeight ?? LINE_PX) / LINE_PX) - 1);
    const to = keyMoves(event.key, { active, total, screen, line });
    if (to !== undefined) goTo(to);
    else if (line === undefined || !act(event.key, line, { onPick, onToggle })) return;
    event.preventDefault();
  };
  const click = ({ target }: MouseEvent<HTMLDivElement>) => {
    const row = target instanceof Element ? target.closest<HTMLElement>('[data-at]') : null;
    const line = row === null ? undefined : lineAt(Number(row.dataset.at));
    if (row === null || line === undefined) return;
    setActive(Number(row.dataset.at));
    if (target instanceof Element && target.closest('[data-toggle]') !== null) onToggle(line);
    else onPick(line, true);
  };

  const pages = Array.from({ length: last - first + 1 }, (_, index) => first + index);
  return (
    <>
      <div
        ref={region}
        role="tree"
        aria-label={t.objects}
        aria-activedescendant={idOf(active)}
        tabIndex={0}
        onScroll={onScroll}
        onKeyDown={press}
        onClick={click}
        className="group @container focus-inset relative max-h-[max(20rem,calc(100dvh-12rem))] overflow-y-auto [overflow-anchor:none]"
      >
        <Spacer className="print:hidden" px={first * TREE_PAGE * LINE_PX} />
        {pages.map((page) => (
          <TreePage
            key={page}
            {...{ place, query, page, total, idOf }}
            active={Math.floor(active / TREE_PAGE) === page ? active : null}
            picked={location?.key ?? null}
          />
        ))}
        <Spacer className="print:hidden" px={Math.max(0, total - (last + 1) * TREE_PAGE) * LINE_PX} />
      </div>
      {first > 0 || (last + 1) * TREE_PAGE < total ? (
        <p className="hidden px-4 py-2 text-ink-3 text-xs print:block">
          {t.printed(first * TREE_PAGE + 1, Math.min(total, (last + 1) * TREE_PAGE), total)}
        </p>
      ) : null}
    </>
  );
}

/** The line at a place, from the pages that are held. */
function useLineAt(place: TreePlace, query: TreeQuery): (at: number) => TreeLine | undefined {
  const queries = useQueryClient();
  return (at) => {
    const { queryKey } = treeQueries.page(place, { ...query, page: Math.floor(at / TREE_PAGE) });
    return queries.getQueryData<WindowSnapshot<TreeLine>>(queryKey)?.rows[at % TREE_PAGE];
  };
}

/** Goes to the object that was picked elsewhere, in the graph or by a link, once it is known where it stands. */
function useFollowPicked(location: TreeLocation | null, goTo: (at: number) => void): void {
  const followed = useRef<string | null>(null);
  useEffect(() => {
    if (location === null) followed.current = null;
    if (location === null || location.at === null || followed.current === location.key) return;
    followed.current = location.key;
    goTo(location.at);
  });
}

function reveal(region: HTMLElement | null, at: number): void {
  if (region === null) return;
  const [top, height] = [at * LINE_PX, region.clientHeight];
  if (top < region.scrollTop) region.scrollTop = top;
  else if (top + LINE_PX > region.scrollTop + height) region.scrollTop = top + LINE_PX - height;
}

interface Standing {
  readonly active: number;
  readonly total: number;
  /** Lines of one screen. */
  readonly screen: number;
  readonly line: TreeLine | undefined;
}

/** Where a key leads to; undefined when it leads nowhere. */
export function keyMoves(key: string, { active, total, screen, line }: Standing): number | undefined {
  const clamp = (at: number) => Math.min(total - 1, Math.max(0, at));
  switch (key) {
    case 'ArrowDown':
      return clamp(active + 1);
    case 'ArrowUp':
      return clamp(active - 1);
    case 'PageDown':
      return clamp(active + screen);
    case 'PageUp':
      return clamp(active - screen);
    case 'Home':
      return 0;
    case 'End':
      return clamp(total - 1);
    case 'ArrowRight':
      return line !== undefined && line.children > 0 && !line.isClosed ? clamp(active + 1) : undefined;
    default:
      return undefined;
  }
}

/** Does what a key asks of the active line; false when it asks nothing. */
function act(key: string, line: TreeLine, { onPick, onToggle }: Pick<TreeListProps, 'onPick' | 'onToggle'>): boolean {
  const canToggle = line.children > 0;
  if (key === 'Enter') onPick(line, true);
  else if (key === ' ') onPick(line, false);
  else if (key === 'ArrowRight' && canToggle && line.isClosed) onToggle(line);
  else if (key === 'ArrowLeft' && canToggle && !line.isClosed) onToggle(line);
  else return false;
  return true;
}
