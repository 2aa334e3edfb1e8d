import { findStalenessOfKind } from '@/server/kube';
import type { Clock, Release } from '@/server/platform';
import type { FreshnessDeps } from './freshness';
import { findStaleData } from './freshness';

const CHECK_INTERVAL_MS = 250;
/** What is polled grows old namespace by namespace, so everything that rests on it is looked at again so often. */
const POLLED_AGAIN_MS = 5000;

/** Everything that is old now, as a text that differs when anything about it does. */
export function describeStaleness(deps: FreshnessDeps): string {
  const now = deps.clock.now();
  const lost = deps.view.stores().flatMap((store) => {
    const { state, lastContactAt } = store.health();
    if (state.kind === 'refused')
      return [`${store.scope.apiVersion} ${store.scope.kind} polled ${lastContactAt ?? 0} ${Math.floor(now / POLLED_AGAIN_MS)}`];
    const loss = findStalenessOfKind(store, now);
    return loss === undefined ? [] : [`${store.scope.apiVersion} ${store.scope.kind} ${loss.reason}`];
  });
  return [findStaleData(deps)?.sentence ?? '', ...lost].join('\n');
}

/** Looks again and again whether data became stale or fresh; age is the one thing that changes without an event. */
export function watchStaleness(age: () => string, clock: Clock) {
  const listeners = new Set<() => void>();
  let cancel: Release | undefined;
  let held = '';
  const look = () => {
    const now = age();
    if (now !== held) {
      held = now;
      for (const listener of listeners) listener();
    }
    cancel = clock.schedule(CHECK_INTERVAL_MS, look);
  };
  return {
    start: look,
    stop: () => cancel?.(),
    onChange: (listener: () => void): Release => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
