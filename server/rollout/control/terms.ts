import { deepEqual } from '@/lib/std/deep-equal';
import type { Instant } from '@/lib/std/instant';
import { toIso } from '@/lib/std/instant';
import { underTerms } from '../objects';
import type { RolloutTerms } from '../policy/strictness';
import { requiresApproval } from '../policy/strictness';
import { applyEvent } from './apply-event';
import { withHistory } from './state';
import { isUndoRequested, tighteningOf } from './tightening-undo';
import type { RolloutView } from './view';

/**
 * Puts terms in force that are no looser than those before, and forgets who decided about a looser policy that waits no more. What asks nobody is not
 * kept: nothing is looser than that. Where names are tied to people, whoever made them stricter may take that back for a while.
 */
export function followTerms(view: RolloutView, now: Instant, isTied = false): RolloutView {
  if (isTied && isUndoRequested(view, now)) return undoTightening(view, now);
  const { fault, loosening } = view.ro;
  const { control } = view;
  const terms = keptOf(view.ro.terms);
  const isCurrent = deepEqual(terms, control.terms) && control.loosenVotes.every(({ digest }) => digest === loosening?.digest);
  if (fault !== undefined || isCurrent) return view;
  return bound(
    applyEvent(view, {
      type: 'termsFollowed',
      terms,
      tightened: isTied ? tighteningOf(view, terms, now) : undefined,
      waiting: loosening?.digest,
    }),
  );
}

/** Puts the terms in force that the spec asks for, looser as they are. */
export function loosen(view: RolloutView): RolloutView {
  const terms = keptOf(view.ro.asked);
  return bound(applyEvent(view, { type: 'loosened', terms }));
}

/** The rollout under what is kept of its terms now. */
const bound = (view: RolloutView): RolloutView => ({ ...view, ro: underTerms(view.ro, view.control) });

/** On record, since nobody else was asked. */
function undoTightening(view: RolloutView, now: Instant): RolloutView {
  const by = view.control.tightened?.by ?? '';
  const fields = view.ro.loosening?.fields ?? [];
  const next = loosen(view);
  const at = toIso(now);
  const message = `${by} took back the stricter policy that they asked for: ${fields.join(', ')}; no one had decided under it`;
  return {
    ...next,
    control: withHistory(next.control, {
      id: `${view.ro.rollout.uid}/policy/taken-back/${at}`,
      at,
      actor: by,
      action: 'policy.taken-back',
      message,
    }),
  };
}

function keptOf(terms: RolloutTerms): RolloutTerms | undefined {
  return requiresApproval(terms) ? terms : undefined;
}
