import type { ObjectKey } from '@/lib/kube/object';
import { deepEqual } from '@/lib/std/deep-equal';
import type { Store, StoreChange } from '@/server/kube';
import type { Release } from '@/server/platform';
import type { ControlState, StateOf } from './control/state';
import type { Observation, RolloutDecision } from './decide';
import type { RolloutStatus } from './model';
import type { RolloutObject } from './objects';
import { readRollout, underTerms } from './objects';

/** What a decision is to the status that is stored: nothing new, only how far a stage has got, or news. */
export function classifyChange(
  { rollout, control }: RolloutObject,
  { status, control: next }: RolloutDecision,
): 'none' | 'counts' | 'news' {
  if (next === undefined) return 'none';
  if (control === undefined || !deepEqual(withoutSteps(rollout.status), withoutSteps(status))) return 'news';
  if (deepEqual(control, next)) return deepEqual(rollout.status, status) ? 'none' : 'counts';
  const bare = (state: object) => ({ ...state, progress: undefined });
  return deepEqual(bare(control), bare(next)) ? 'counts' : 'news';
}

/** How far the two steps of a stage have got follows from its pods, and no pass goes by what is stored of it. */
function withoutSteps(status: RolloutStatus | undefined) {
  return (
    status && {
      ...status,
      conditions: status.conditions.filter(({ type }) => type !== 'StageScaleUpReady' && type !== 'StageScaleDownReady'),
    }
  );
}

/** What of a decision only counts. */
export function countedFieldsOf({ control, status }: RolloutDecision): unknown {
  return [control?.state === 'stage' ? control.progress : undefined, status?.conditions];
}

/** When a stage moved on last, while that is not stored yet. */
export class Progress {
  readonly #noted = new Map<ObjectKey, StateOf<'stage'>>();

  /** The observation with the progress that was noted of the very stage. */
  recall(key: ObjectKey, seen: Observation): Observation {
    const noted = this.#noted.get(key);
    const { control } = seen.view;
    const isSame =
      noted !== undefined && control.state === 'stage' && control.stage === noted.stage && control.attempt.id === noted.attempt.id;
    if (!isSame || (control.progress?.score ?? Number.NEGATIVE_INFINITY) >= (noted.progress?.score ?? Number.NEGATIVE_INFINITY))
      return seen;
    return { ...seen, view: { ...seen.view, control: { ...control, progress: noted.progress } } };
  }

  note(key: ObjectKey, control: ControlState | undefined): void {
    if (control?.state === 'stage') this.#noted.set(key, control);
    else this.forget(key);
  }

  forget(key: ObjectKey): void {
    this.#noted.delete(key);
  }
}

/**
 * What rollouts were known to be about before their state went from their objects: while a definition drops it, an API server leaves it out on reading, and
 * loses it with the next write by anybody. Without it a rollout would begin anew, behind the gates that nobody opened, or to a revision that was rejected.
 */
export class LostStates {
  readonly #lost = new Map<ObjectKey, ControlState>();
  /** Ends listening. */
  readonly release: Release;

  constructor(rollouts: Pick<Store, 'subscribe'>) {
    this.release = rollouts.subscribe((change) => this.#hear(change));
  }

  /** What was seen, with the state that was lost. */
  recall(key: ObjectKey, seen: Observation): Observation {
    const control = this.#lost.get(key);
    const { ro } = seen.view;
    if (control === undefined || ro.control !== undefined || ro.fault !== undefined) return seen;
    return { ...seen, view: { ...seen.view, control, ro: { ...underTerms(ro, control), control } } };
  }

  #hear({ key, before, after }: StoreChange): void {
    const isGone = after === undefined || before?.metadata.uid !== after.metadata.uid;
    if (isGone || readRollout(after).control !== undefined) {
      this.#lost.delete(key);
      return;
    }
    const { control } = readRollout(before ?? after);
    if (control !== undefined) this.#lost.set(key, control);
  }
}
