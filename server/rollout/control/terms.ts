import { deepEqual } from '@/lib/std/deep-equal';
import { underTerms } from '../objects';
import type { RolloutTerms } from '../policy/strictness';
import { asksPeople } from '../policy/strictness';
import { happened } from './apply';
import type { RolloutView } from './view';

/** Puts terms in force that are no looser than those before, and forgets who decided about a looser policy that waits no more. What asks nobody is not kept: nothing is looser than that. */
export function followTerms(view: RolloutView): RolloutView {
  const { fault, loosening } = view.ro;
  const { control } = view;
  const terms = keptOf(view.ro.terms);
  const isCurrent = deepEqual(terms, control.terms) && control.loosenVotes.every(({ digest }) => digest === loosening?.digest);
  return fault !== undefined || isCurrent ? view : happened(view, { type: 'termsFollowed', terms, waiting: loosening?.digest });
}

/** Puts the terms in force that the spec asks for, looser as they are. */
export function loosen(view: RolloutView): RolloutView {
  const terms = keptOf(view.ro.asked);
  return { ...happened(view, { type: 'loosened', terms }), ro: underTerms(view.ro, terms) };
}

function keptOf(terms: RolloutTerms): RolloutTerms | undefined {
  return asksPeople(terms) ? terms : undefined;
}
