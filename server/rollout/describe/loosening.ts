import { readField } from '@/lib/kube/fields';
import { toStableJson } from '@/lib/std/stable-json';
import { sayList, sayPercent } from '@/lib/words/figures';
import type { RolloutView } from '../control/view';
import type { RolloutTerms } from '../policy/strictness';
import type { LooseningDescription } from './description';

/** A looser policy that waits, field by field beside what is in force. */
export function describeLoosening({ ro: { loosening, terms }, control }: RolloutView): LooseningDescription | null {
  if (loosening === undefined) return null;
  const { fields, asked, digest } = loosening;
  return {
    fields: fields.map((field) => ({ field, inForce: sayValue(terms, field), asked: sayValue(asked, field) })),
    digest,
    votes: control.loosenVotes.filter((vote) => vote.digest === digest).map(({ actor, at }) => ({ actor, at })),
  };
}

function sayValue(terms: RolloutTerms, field: string): string {
  const value = readField(terms, ...field.split('.'));
  const { gates } = terms.control;
  if (field === 'control.gates' && Array.isArray(gates))
    return gates.length === 0 ? 'none' : `at ${sayList(gates.map(({ atPercent }) => sayPercent(atPercent)))}`;
  return value === undefined ? 'not set' : typeof value === 'string' ? value : toStableJson(value);
}
