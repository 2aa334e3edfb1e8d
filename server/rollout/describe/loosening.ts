import { readField } from '@/lib/kube/fields';
import type { Instant } from '@/lib/std/instant';
import { toIso } from '@/lib/std/instant';
import { toStableJson } from '@/lib/std/stable-json';
import { formatList, formatPercent } from '@/lib/words/figures';
import { undoOf } from '../control/tightening-undo';
import type { RolloutView } from '../control/view';
import type { RolloutTerms } from '../policy/strictness';
import type { LooseningDescription, RolloutDescription } from './description';

/** A looser policy that waits, field by field beside what is in force. */
export function describeLoosening({ ro: { loosening, terms }, control }: RolloutView): LooseningDescription | null {
  if (loosening === undefined) return null;
  const { fields, asked, digest } = loosening;
  return {
    fields: fields.map((field) => ({ field, inForce: formatValue(terms, field), requested: formatValue(asked, field) })),
    digest,
    votes: control.loosenVotes.filter((vote) => vote.digest === digest).map(({ actor, at }) => ({ actor, at })),
  };
}

/** Who may take the policy back that they made stricter, while nobody has decided under it. */
export function describeTighteningUndo({ control }: RolloutView, now: Instant): RolloutDescription['tighteningUndo'] {
  const back = undoOf(control.tightened, now);
  return back === undefined ? null : { by: back.by, until: toIso(back.until) };
}

function formatValue(terms: RolloutTerms, field: string): string {
  const value = readField(terms, ...field.split('.'));
  const { gates } = terms.control;
  if (field === 'control.gates' && Array.isArray(gates))
    return gates.length === 0 ? 'none' : `at ${formatList(gates.map(({ atPercent }) => formatPercent(atPercent)))}`;
  return value === undefined ? 'not set' : typeof value === 'string' ? value : toStableJson(value);
}
