import type { ObjectKey } from '@/lib/kube/object';
import { compareResourceVersions } from '@/lib/kube/resource-version';
import type { Instant } from '@/lib/std/instant';
import { toInstant } from '@/lib/std/instant';
import type { Store } from './informer';

/** Five seconds on the screen, less what looking and pushing take. */
const OLD_AFTER_MS = 4500;

/** So many intervals without a poll make what was polled old. */
const MISSED_POLLS = 3;

/** Why a copy is no evidence for how a part of the cluster is now. */
export interface Staleness {
  /** Old: it was read once. Forbidden: it may not be read any more, however old the copy is. */
  readonly kind: 'old' | 'forbidden';
  /** Until when it was good. */
  readonly since: Instant;
  readonly reason: string;
}

type Copy = Pick<Store, 'health' | 'knowledge'>;

/**
 * Since when and why a copy is no evidence for an object, or for a namespace (`ns/`); undefined while it is. A kind that the cluster does
 * not serve, and of which there are none, is not lost but absent. The one place where the age of a copy is judged.
 */
export function findStaleness(store: Copy, key: ObjectKey, now: Instant): Staleness | undefined {
  const { state, objects } = store.health();
  if (state.kind === 'retrying') {
    if (now - state.since < OLD_AFTER_MS || (state.isMissing && objects === 0)) return undefined;
    return { kind: 'old', since: state.since, reason: state.reason };
  }
  if (state.kind !== 'refused') return undefined;
  const known = store.knowledge(key);
  if (known.kind === 'watched') return undefined; // in its namespace, by itself
  if (known.kind === 'forbidden') return { kind: 'forbidden', since: known.since ?? state.since, reason: known.reason };
  const since = known.kind === 'polled' ? known.at : state.since;
  const reason = known.kind === 'polled' || known.kind === 'unknown' ? known.reason : state.reason;
  return now < toInstant(since + patienceMs(store)) ? undefined : { kind: 'old', since, reason };
}

/** When a copy that is good now will be no evidence any more unless it is heard of; undefined for what is watched. */
export function freshUntil(store: Copy, key: ObjectKey): Instant | undefined {
  const { state } = store.health();
  if (state.kind === 'retrying') return toInstant(state.since + OLD_AFTER_MS);
  if (state.kind !== 'refused') return undefined;
  const known = store.knowledge(key);
  if (known.kind === 'watched') return undefined;
  return toInstant((known.kind === 'polled' ? known.at : state.since) + patienceMs(store));
}

/** The same of a kind as a whole: what is polled is as old as the part of it that is behind most. */
export function findStalenessOfKind(store: Store, now: Instant): Staleness | undefined {
  const { state, lastContactAt, oldestPollAt } = store.health();
  if (state.kind !== 'refused') return findStaleness(store, '', now);
  const since = oldestPollAt ?? lastContactAt ?? state.since;
  return now - since < patienceMs(store) ? undefined : { kind: 'old', since, reason: state.reason };
}

/** A write as the server answered it, and for how long after it the watch of its kind may still be behind. */
interface Write {
  readonly version: string;
  readonly at: Instant;
  readonly graceMs: number;
}

/**
 * Whether a copy is newer than a write, whatever it shows: its watch went beyond that version, or was heard of so much later that the cluster was put
 * back to an earlier state. Of a kind that the cluster serves no more nothing is ever heard again.
 */
export function hasCaughtUp(store: Pick<Store, 'health'>, { version, at, graceMs }: Write): boolean {
  const { state, resourceVersion = '0', lastContactAt = at } = store.health();
  const isGone = state.kind === 'retrying' && state.isMissing === true;
  return isGone || lastContactAt - at >= graceMs || compareResourceVersions(resourceVersion, version) >= 0;
}

function patienceMs(store: Copy): number {
  return MISSED_POLLS * (store.health().polledEveryMs ?? OLD_AFTER_MS);
}
