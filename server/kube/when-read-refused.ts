import type { InformerHealth, Store } from './informer';

/** Resolves once the server lets nobody read a kind as a whole, or its store is closed: then a first complete list may never come. Aborting ends the look-out, for who waits no more. */
export function whenReadRefused(store: Store, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const release = store.onHealth(check);
    signal?.addEventListener('abort', release, { once: true });
    function check({ state }: Pick<InformerHealth, 'state'>): void {
      if (state.kind !== 'refused' && state.kind !== 'stopped') return;
      release();
      resolve();
    }
    check(store.health());
  });
}
