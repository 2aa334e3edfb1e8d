import type { NamespaceSource, Store } from '@/server/kube';
import { whenReadRefused } from '@/server/kube';
import type { Clock } from '@/server/platform';
import type { ApplicationStores } from '../observe/observe';

/** How often it is looked whether a first list is through. */
export const POLL_MS = 50;

/** Waits until the copies tell of a namespace; where workloads may not be read at all, until that is known. */
export async function waitUntilReadable(
  stores: ApplicationStores,
  namespace: string,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
) {
  const { deployments, ...whole } = stores;
  const release = deployments.needIn(placeOf(namespace));
  const through = new AbortController();
  try {
    const synced = Object.values<Store>({ ...whole }).map((store) => store.synced(signal));
    await Promise.all([...synced, Promise.race([deployments.synced(signal), whenReadRefused(deployments, through.signal)])]);
    while (deployments.covers(namespace).kind === 'later') await clock.sleep(POLL_MS, signal);
  } finally {
    through.abort();
    release();
  }
}

const placeOf = (namespace: string): NamespaceSource => ({
  values: () => [namespace],
  has: (one) => one === namespace,
  subscribe: () => () => undefined,
});
