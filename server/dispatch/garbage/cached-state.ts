import type { ObjectAddress } from '@/lib/kube/object';
import { toObjectKey } from '@/lib/kube/object';
import type { Instant } from '@/lib/std/instant';
import { toIso } from '@/lib/std/instant';
import type { Store } from '@/server/kube';
import { findStaleness } from '@/server/kube';
import type { LiveState } from './model';

/**
 * What a copy says of one object, by whatever version its kind is served. Absent is only what is known to be absent now: by a watch, or by a
 * poll of its namespace that is not old. A kind that is served at no version took its objects with it.
 */
export function cachedState(store: Pick<Store, 'get' | 'health' | 'knowledge'>, at: ObjectAddress, now: Instant): LiveState {
  const key = toObjectKey(at);
  const known = store.knowledge(key);
  if (known.kind === 'unserved') return { kind: 'absent' };
  const object = store.get(key);
  if (object !== undefined && known.kind !== 'forbidden') return { kind: 'present', object };
  if (known.kind !== 'watched' && known.kind !== 'polled') return { kind: 'unknown', why: known.reason };
  const loss = findStaleness(store, key, now);
  return loss === undefined ? { kind: 'absent' } : { kind: 'unknown', why: `it was last checked at ${toIso(loss.since)}: ${loss.reason}` };
}
