import { reasonOf } from '@/lib/contract/acts/reason-of';
import type { ApplicationDetail } from '@/lib/contract/application-rows';
import type { WaitingPage } from '@/lib/contract/change-rows';
import { countKind } from '@/lib/kube/kinds';
import { t } from '@/lib/words/catalogue/delivery/changes';

/** An approval of deletions that a safety rule holds, as it is sent. */
export interface HeldDecision {
  readonly verb: 'approve';
  readonly uid: string;
  readonly reason?: string;
  readonly seen: { readonly garbage: string };
  readonly garbage: { readonly objects: readonly string[]; readonly count: number };
}

/** Why a deletion waits for a decision; null when none does. An application can be held in other ways. */
export function heldCollection({ conditions }: Pick<ApplicationDetail, 'conditions'>): string | null {
  return conditions.find(({ type, status, reason }) => type === 'Collected' && status === 'False' && reason === 'Held')?.message ?? null;
}

/** What an approval of one plan does, sentence by sentence; a number stays on the line of its kind. */
export function consequencesOfHeld({ decision: { count }, going }: Pick<WaitingPage, 'decision' | 'going'>): readonly string[] {
  const kinds = going.map((each) => countKind(each.count, each.kind).replace(' ', '\u00a0')).join(', ');
  return [t.deletedFromTheCluster(t.objectsAre(count), kinds), t.itCannotBeUndoneNothing, t.theEngineComputesThePlan];
}

/** Names what was shown: the plan by its digest, what is held object by object, and how many go in all. */
export function toHeldDecision(uid: string, { digest, decision }: Pick<WaitingPage, 'digest' | 'decision'>, reason: string): HeldDecision {
  return { verb: 'approve', uid, ...reasonOf(reason), seen: { garbage: digest }, garbage: decision };
}
