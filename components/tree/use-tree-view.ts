'use client';

import { usePathname, useSearchParams } from 'next/navigation';
import { useCallback } from 'react';
import type { TreeView } from './tree-view';
import { formatTreeView, parseTreeView } from './tree-view';

/** How the objects are shown lives in the address, so that list and graph agree and a link shows the same. */
export function useTreeView(): { readonly view: TreeView; readonly change: (change: Partial<TreeView>) => void } {
  const params = useSearchParams();
  const path = usePathname();
  const change = useCallback(
    (wanted: Partial<TreeView>) => {
      // From the address itself: what changed since the last render counts.
      const text = formatTreeView({ ...parseTreeView(new URLSearchParams(globalThis.location.search)), ...wanted });
      globalThis.history.replaceState(null, '', text === '' ? path : `${path}?${text}`);
    },
    [path],
  );
  return { view: parseTreeView(new URLSearchParams(params)), change };
}
