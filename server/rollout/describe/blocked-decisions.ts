import { pausedBy } from '@/lib/kube/paused-by';
import type { RefusalMessage, WaitMessage } from '@/lib/words/rollout-message';
import type { Evaluation } from '../control/evaluation';
import type { RolloutView } from '../control/view';

export type Held = Extract<WaitMessage, { readonly id: 'wait.unreadable' | 'wait.taken' | 'wait.annotated' }>;

/** What only a person can mend. */
export type Blocked = Exclude<Held, { readonly id: 'wait.annotated' }>;

/** What keeps the engine from looking at a rollout at all. */
export function heldBy(view: Pick<RolloutView, 'ro' | 'taken'>, { position }: Pick<Evaluation, 'position'>): Held | undefined {
  const stuck = blockedBy(view);
  if (stuck !== undefined) return stuck;
  const annotation = pausedBy(view.ro.object);
  return annotation === undefined || position === 'complete' ? undefined : { id: 'wait.annotated', annotation };
}

/** What keeps it from going either way until somebody mends it. */
export function blockedBy({ ro: { fault }, taken }: Pick<RolloutView, 'ro' | 'taken'>): Blocked | undefined {
  if (fault !== undefined) return { id: 'wait.unreadable', ...fault };
  return taken && { id: 'wait.taken', ...taken };
}

/** Why nobody may decide anything about a rollout; undefined when they may. */
export function blockedReason(
  view: Pick<RolloutView, 'ro' | 'taken'>,
  evaluation: Pick<Evaluation, 'position'>,
): RefusalMessage | undefined {
  const held = heldBy(view, evaluation);
  return held && toRefusal(held);
}

/** The same, as a decision is answered. */
export function toRefusal(held: Held): RefusalMessage {
  switch (held.id) {
    case 'wait.annotated':
      return { ...held, id: 'refused.annotated' };
    case 'wait.taken':
      return { ...held, id: 'refused.taken' };
    case 'wait.unreadable':
      return { ...held, id: 'refused.unreadable' };
  }
}
