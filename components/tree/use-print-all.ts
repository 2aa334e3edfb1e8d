'use client';

import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { flushSync } from 'react-dom';
import { showToast } from '@/components/ui/overlay/toast';
import { messageOf } from '@/lib/contract/app-error';
import type { TreeQuery } from '@/lib/contract/lists/tree-query';
import { TREE_PAGE } from '@/lib/contract/tree-rows';
import type { TreePlace } from './tree-queries';
import { treeQueries } from './tree-queries';

/** Pages that are printed at the most: what is more is said on the paper. */
export const PRINTED_PAGES = 20;
/** Longer than it takes to read them, so that the first is still there with the last. */
const KEPT_MS = 60_000;

/** Prints the page with its objects: reads those that nobody has looked at yet, and shows all of them until the paper is out. */
export function usePrintAll(place: TreePlace, query: TreeQuery) {
  const queries = useQueryClient();
  const [isReading, setReading] = useState(false);
  const [showsAll, setShowsAll] = useState(false);
  useEffect(() => {
    const end = () => setShowsAll(false);
    addEventListener('afterprint', end);
    return () => removeEventListener('afterprint', end);
  }, []);
  const read = (page: number) => {
    const one = { ...treeQueries.page(place, { ...query, page }), gcTime: KEPT_MS };
    // What is looked at is kept up to date; what was looked at before is not.
    const isLive = queries.getQueryCache().find({ queryKey: one.queryKey })?.isActive() ?? false;
    return isLive ? queries.ensureQueryData(one) : queries.fetchQuery({ ...one, staleTime: 0 });
  };
  const readAll = async () => {
    const { total } = await read(0);
    const pages = Math.min(PRINTED_PAGES, Math.ceil(total / TREE_PAGE));
    await Promise.all(Array.from({ length: pages }, (_, page) => (page === 0 ? undefined : read(page))));
  };
  const print = async () => {
    setReading(true);
    try {
      await readAll();
      flushSync(() => {
        setReading(false);
        setShowsAll(true);
      });
      globalThis.print();
    } catch (error) {
      setReading(false);
      showToast(messageOf(error), 'bad');
    }
  };
  return { print: () => void print(), isReading, showsAll };
}
