import { createHash } from 'node:crypto';
import { toStableJson } from '@/lib/std/stable-json';
import type { ControlPolicy } from './control-policy';
import { resolvePolicy } from './control-policy';
import type { RolloutTerms } from './strictness';
import { stricterOf } from './strictness';

/** Terms that the spec asks for and that let more through than those in force: they wait to be decided. */
export interface Loosening {
  readonly asked: RolloutTerms;
  /** Names of the looser fields, such as `control.approvals.required`. */
  readonly fields: readonly string[];
  /** Digest of both and of the round, which a decision must name as seen: one that is made again counts for no later request. */
  readonly digest: string;
}

/** What binds a rollout: the stricter of what is in force and what its spec asks for, field by field. */
export interface BindingTerms {
  readonly terms: RolloutTerms;
  readonly policy: ControlPolicy;
  readonly loosening: Loosening | undefined;
}

/** What is kept of the terms of a rollout: those in force, and how many looser ones were decided about before. */
export interface StoredTerms {
  readonly terms?: RolloutTerms | undefined;
  readonly loosenRound?: number | undefined;
}

/** The terms that bind; those that are asked for where none are in force yet. */
export function termsInForce({ terms: inForce, loosenRound: round }: StoredTerms, asked: RolloutTerms): BindingTerms {
  if (inForce === undefined) return { terms: asked, policy: resolvePolicy(asked.control), loosening: undefined };
  const { terms, loosened: fields } = stricterOf(inForce, asked);
  if (fields.length === 0) return { terms, policy: resolvePolicy(terms.control), loosening: undefined };
  const digest = createHash('sha256')
    .update(toStableJson({ inForce: terms, asked, ...(round === undefined ? {} : { round }) }))
    .digest('hex')
    .slice(0, 32);
  return { terms, policy: resolvePolicy(terms.control), loosening: { asked, fields, digest } };
}
