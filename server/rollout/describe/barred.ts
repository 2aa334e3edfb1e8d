import { pausedBy } from '@/lib/kube/paused-by';
import type { RefusalMessage, WaitMessage } from '@/lib/words/rollout-message';
import type { Judgement } from '../control/judgement';
import type { RolloutObject } from '../objects';

export type Held = Extract<WaitMessage, { readonly id: 'wait.unreadable' | 'wait.annotated' }>;

/** What keeps the engine from looking at a rollout at all. */
export function heldBy({ fault, object }: RolloutObject, { standing }: Pick<Judgement, 'standing'>): Held | undefined {
  if (fault !== undefined) return { id: 'wait.unreadable', ...fault };
  const annotation = pausedBy(object);
  return annotation === undefined || standing === 'complete' ? undefined : { id: 'wait.annotated', annotation };
}

/** Why nobody may decide anything about a rollout; undefined when they may. */
export function whyBarred(ro: RolloutObject, judgement: Pick<Judgement, 'standing'>): RefusalMessage | undefined {
  const held = heldBy(ro, judgement);
  if (held === undefined) return undefined;
  if (held.id === 'wait.annotated') return { id: 'refused.annotated', annotation: held.annotation };
  return { id: 'refused.unreadable', field: held.field, problem: held.problem };
}
