import type { ObjectKey } from '@/lib/kube/object';
import type { Instant } from '@/lib/std/instant';
import type { Store } from '@/server/kube';

/** How an object is known, and when that was so: of what is watched, now. */
export interface Provenance {
  readonly source: 'watch' | 'poll' | 'get' | 'cache';
  readonly at: Instant;
}

/** How what a copy says of an object, or of its absence, is known; undefined where nothing is. */
export function provenanceIn(store: Store, key: ObjectKey, now: Instant): Provenance | undefined {
  const known = store.knowledge(key);
  switch (known.kind) {
    case 'watched':
      return { source: 'watch', at: now };
    case 'polled':
      return { source: known.by === 'get' ? 'get' : 'poll', at: known.at };
    case 'lost':
      return { source: 'cache', at: store.health().lastContactAt ?? now };
    case 'unserved':
    case 'unknown':
    case 'forbidden':
      return undefined;
  }
}
