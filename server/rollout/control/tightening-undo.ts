import { KINDS } from '@/lib/kube/kinds';
import { controllerOf } from '@/lib/kube/object';
import type { Instant } from '@/lib/std/instant';
import { parseInstant, toInstant, toIso } from '@/lib/std/instant';
import type { RolloutTerms } from '../policy/strictness';
import { loosenedFields, requiresApproval } from '../policy/strictness';
import type { Tightening } from './state';
import type { RolloutView } from './view';

/** How long whoever made a policy stricter may take that back alone (docs/decisions/0053-a-policy-that-nobody-can-meet.md). */
export const UNDO_WINDOW_MS = 15 * 60_000;

/** Who may still take a stricter policy back by asking for the former one, and until when. */
export interface TighteningUndo {
  readonly by: string;
  readonly until: Instant;
  /** What was in force before: nothing looser than that. */
  readonly from: RolloutTerms;
}

/** Who may take the policy in force back at a moment; undefined where nobody may. */
export function undoOf(tightened: Tightening | undefined, now: Instant): TighteningUndo | undefined {
  const at = parseInstant(tightened?.at);
  if (tightened === undefined || at === undefined) return undefined;
  const until = toInstant(at + UNDO_WINDOW_MS);
  return now < until ? { by: tightened.by, until, from: tightened.from } : undefined;
}

/**
 * What is remembered of stricter terms that are put in force: who asked for them, when, and what they take the place of. Only of the rollout of an
 * application, whose requester is stamped; of one person, and no account that many write through; and not of a first policy, since without one
 * every gate would be open.
 */
export function tighteningOf(view: RolloutView, terms: RolloutTerms | undefined, now: Instant): Tightening | undefined {
  const { ro, control } = view;
  const { terms: before, tightened } = control;
  if (before === undefined || terms === undefined || loosenedFields(terms, before).length === 0) return tightened;
  const [by, ...others] = ro.policyRequestedBy;
  const isPerson = by !== undefined && others.length === 0 && !by.startsWith('system:');
  if (!isPerson || controllerOf(ro.object)?.kind !== KINDS.application.kind) return undefined;
  // Whoever tightens once more takes all of it back; the time does not begin anew.
  const held = undoOf(tightened, now);
  return held?.by === by && tightened !== undefined ? tightened : { from: before, by, at: toIso(now) };
}

/** True when the looser policy that is asked for takes a stricter one back, by who made it stricter and to nothing looser than was in force before. */
export function isUndoRequested({ ro, control }: RolloutView, now: Instant): boolean {
  const back = undoOf(control.tightened, now);
  if (back === undefined || ro.loosening === undefined) return false;
  const [by, ...others] = ro.policyRequestedBy;
  return by === back.by && others.length === 0 && requiresApproval(back.from) && loosenedFields(back.from, ro.asked).length === 0;
}
