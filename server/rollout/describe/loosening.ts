import { readField } from '@/lib/kube/fields';
import { toStableJson } from '@/lib/std/stable-json';
import type { RolloutView } from '../control/view';
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

function sayValue(terms: unknown, field: string): string {
  const value = readField(terms, ...field.split('.'));
  return value === undefined ? 'not set' : typeof value === 'string' ? value : toStableJson(value);
}
