import type { Clock, Release } from '@/server/platform';
import type { Store } from './store';

/** As often as a real API server has etcd compacted. */
const EVERY_MS = 300_000;

/** Forgets what became of objects five to ten minutes ago, as a real one does: else a quiet cluster holds its last ten thousand changes for ever. */
export function compactHistory({ store, clock }: { readonly store: Store; readonly clock: Clock }): Release {
  let cancel: Release = () => undefined;
  const next = (seen: number) => {
    cancel = clock.schedule(EVERY_MS, () => {
      store.forget(seen);
      next(store.version);
    });
  };
  next(store.version);
  return () => cancel();
}
