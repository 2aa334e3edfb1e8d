import { useSyncExternalStore } from 'react';
import { t } from '@/lib/words/catalogue/console/ui';
import { showToast } from '../toast';

/** Parts of the console that the first paint does without. */
export interface LazyModule<Parts> {
  /** Brings them, once; a browser that was refused may ask again. */
  readonly load: () => Promise<Parts>;
  readonly held: () => Parts | undefined;
  readonly watch: (listener: () => void) => () => void;
}

const loads = new Set<() => Promise<unknown>>();

/** Declares parts that come when somebody reaches for them, or when the browser has time; whichever is first. */
export function lazyWhenIdle<Parts>(read: () => Promise<Parts>): LazyModule<Parts> {
  const parts = lazyOnDemand(read);
  loads.add(parts.load);
  return parts;
}

/** Declares parts that come when somebody reaches for them, and not before: they are too large for whoever may never look at them. */
export function lazyOnDemand<Parts>(read: () => Promise<Parts>): LazyModule<Parts> {
  const listeners = new Set<() => void>();
  let held: Parts | undefined;
  let coming: Promise<Parts> | undefined;
  const bring = async () => {
    try {
      held = await read();
      for (const listener of listeners) listener();
      return held;
    } finally {
      coming = undefined;
    }
  };
  const load = async () => {
    if (held !== undefined) return held;
    coming ??= bring();
    return await coming;
  };
  return {
    load,
    held: () => held,
    watch(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/** The parts, once they are there. */
export function useLazyModule<Parts>({ held, watch }: LazyModule<Parts>): Parts | undefined {
  return useSyncExternalStore(watch, held, () => undefined);
}

/** Brings parts that somebody reached for; where that fails, says so, since nothing appears. */
export function loadNow(parts: LazyModule<unknown>, onFailure: () => void): void {
  parts.load().catch(() => {
    onFailure();
    showToast(t.thisPartDidNotLoad, 'bad');
  });
}

/** Brings everything that is late while nobody waits for it: it must be there once the server is not. */
export function loadWhenIdle(): () => void {
  const loadAll = () => {
    for (const load of loads) load().catch(() => undefined); // whoever reaches for it asks again
  };
  if (typeof requestIdleCallback !== 'function') {
    const timer = setTimeout(loadAll, 1000);
    return () => clearTimeout(timer);
  }
  const asked = requestIdleCallback(loadAll);
  return () => cancelIdleCallback(asked);
}
