'use client';

import { usePathname, useSearchParams } from 'next/navigation';
import { useCallback } from 'react';
import type { TreeView } from './tree-view';
import { formatTreeView, parseTreeView } from './tree-view';

/** How the objects are shown lives in the address, so that list and graph agree and a link shows the same. */
export function useTreeView(): { readonly view: TreeView; readonly change: (change: Partial<TreeView>) => void; readonly viewNow: () => TreeView } {
  const params = useSearchParams();
  const path = usePathname();
  const change = useCallback(
    (wanted: Partial<TreeView>) => {
      const text = formatTreeView({ ...viewNow(), ...wanted });
      globalThis.history.replaceState(null, '', text === '' ? path : `${path}?${text}`);
    },
    [path],
  );
  return { view: parseTreeView(new URLSearchParams(params)), change, viewNow };
}

/** From the address itself: keys come faster than renders, and what changed since the last one counts. */
function viewNow(): TreeView {
  return parseTreeView(new URLSearchParams(globalThis.location.search));
}
