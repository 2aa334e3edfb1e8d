import { usePathname, useSearchParams } from 'next/navigation';
import { useEffect } from 'react';
import { CLUSTER_PARAM, inCluster } from '@/components/live/address/cluster-param';
import { useStatus } from '@/components/live/staleness';

/**
 * Has the address of every page name the cluster that it shows, so that a link never shows an object of the same name in another one. Answers the
 * cluster that the address names where that is another one, else null.
 */
export function useClusterAddress(): string | null {
  const [path, params] = [usePathname(), useSearchParams()];
  const id = useStatus()?.cluster.id ?? null;
  const named = params.get(CLUSTER_PARAM);
  useEffect(() => {
    if (id === null || named !== null || globalThis.location.pathname !== path) return;
    const { search, hash } = globalThis.location;
    globalThis.history.replaceState(null, '', `${path}?${inCluster(search, id)}${hash}`);
  }, [id, named, path]);
  return id !== null && named !== null && named !== id ? named : null;
}
