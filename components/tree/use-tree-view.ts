'use client';

import { useCallback } from 'react';
import { useAddress } from '@/components/live/address/use-address';
import type { TreeView } from './tree-view';
import { formatTreeView, parseTreeView } from './tree-view';

/** How the objects are shown lives in the address, so that list and graph agree and a link shows the same. */
export function useTreeView(): {
  readonly view: TreeView;
  readonly change: (change: Partial<TreeView>) => void;
  readonly viewNow: () => TreeView;
} {
  const { params, write } = useAddress();
  const change = useCallback(
    (wanted: Partial<TreeView>) => {
      write(formatTreeView({ ...viewNow(), ...wanted }));
    },
    [write],
  );
  return { view: parseTreeView(params), change, viewNow };
}

/** From the address itself: keys come faster than renders, and what changed since the last one counts. */
function viewNow(): TreeView {
  return parseTreeView(new URLSearchParams(globalThis.location.search));
}
