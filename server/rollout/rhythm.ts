import type { ObjectKey } from '@/lib/kube/object';
import { deepEqual } from '@/lib/std/deep-equal';
import type { Instant } from '@/lib/std/instant';
import type { RolloutDecision } from './decide';
import type { RolloutObject } from './objects';
import type { SpaStatus } from './stage/spa-status';

const COUNTING_MS = 1000;

/** When each object's status was written last: one that only counts waits until a second after that. */
export class Rhythm {
  readonly #written = new Map<ObjectKey, Instant>();

  /** How long a write that only counts has to wait; 0 when it may be written now. */
  waitMs(key: ObjectKey, now: Instant): number {
    const last = this.#written.get(key);
    return last === undefined ? 0 : Math.max(0, last + COUNTING_MS - now);
  }

  note(key: ObjectKey, now: Instant): void {
    this.#written.set(key, now);
  }

  forget(key: ObjectKey): void {
    this.#written.delete(key);
  }
}

/** What a decision is to the status that is stored: nothing new, only the progress of a stage, or news. */
export function noveltyOf({ rollout, control }: RolloutObject, decision: RolloutDecision): 'none' | 'counts' | 'news' {
  if (decision.control === undefined) return 'none';
  if (!deepEqual(rollout.status, decision.status) || control === undefined) return 'news';
  if (deepEqual(control, decision.control)) return 'none';
  const bare = (state: object) => ({ ...state, progress: undefined });
  return deepEqual(bare(control), bare(decision.control)) ? 'counts' : 'news';
}

/** True when a mirror of figures only counts: it was there before, and nothing has come to rest in it. */
export function onlyCounts(before: SpaStatus, { desiredScale, actualScale, replicasTerminating = 0, conditions }: SpaStatus): boolean {
  if (before.conditions.length === 0) return false;
  const isKnown = conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
  return !isKnown || desiredScale !== actualScale || replicasTerminating > 0;
}
