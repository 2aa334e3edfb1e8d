'use client';

import { usePathname, useSearchParams } from 'next/navigation';
import { startTransition, useCallback, useMemo, useOptimistic } from 'react';
import { namedAs, withoutCluster } from './cluster-param';

export interface Address {
  readonly params: URLSearchParams;
  /** Writes a new query; `push` makes it an entry of the browser's history of its own. */
  readonly write: (query: string, how?: 'push' | 'replace') => void;
}

/**
 * The query of the page's address, which holds what is chosen on it so that a link shows the same, but for the cluster, which the frame sees to.
 * What is chosen shows at once: the router takes a change in behind the drawing of a busy page, and a box that is ticked would spring back until then.
 */
export function useAddress(): Address {
  const path = usePathname();
  const [shown, show] = useOptimistic<URLSearchParams>(useSearchParams());
  const params = useMemo(() => withoutCluster(shown), [shown]);
  const write = useCallback(
    (wanted: string, how: 'push' | 'replace' = 'replace') => {
      const query = namedAs(globalThis.location.search, wanted);
      const href = query === '' ? path : `${path}?${query}`;
      startTransition(() => {
        show(new URLSearchParams(query));
        if (how === 'push') globalThis.history.pushState(null, '', href);
        else globalThis.history.replaceState(null, '', href);
      });
    },
    [path, show],
  );
  return { params, write };
}
