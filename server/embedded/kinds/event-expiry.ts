import { parseInstant } from '@/lib/std/instant';
import type { Release } from '@/server/platform';
import type { ApiContext } from '../api/context';

const LIFE_MS = 3_600_000;

/** Events go an hour after they last changed, all that are due at one time. */
export function expireEvents({ store, clock }: Pick<ApiContext, 'store' | 'clock'>): Release {
  const lastChange = new Map<string, number>();
  let cancel: Release | undefined;

  const sweep = () => {
    cancel = undefined;
    const now = clock.now();
    for (const [key, at] of [...lastChange]) {
      if (at + LIFE_MS > now) break; // oldest first
      lastChange.delete(key);
      store.remove('events', key);
    }
    plan();
  };
  const plan = () => {
    const [oldest] = lastChange.values();
    if (oldest !== undefined) cancel ??= clock.schedule(oldest + LIFE_MS - clock.now(), sweep);
  };

  for (const event of store.table('events').list()) {
    const { namespace, name = '', creationTimestamp } = event.metadata;
    lastChange.set(`${namespace ?? ''}/${name}`, parseInstant(event.lastTimestamp ?? creationTimestamp) ?? clock.now());
  }
  const unsubscribe = store.subscribe(({ storage, key, after }) => {
    if (storage !== 'events') return;
    lastChange.delete(key); // and to the end, as the youngest
    if (after) lastChange.set(key, clock.now());
    plan();
  });
  plan();
  return () => {
    unsubscribe();
    cancel?.();
  };
}
