/** What running one conformance case came to: failures are pairs to print beside each other; unanswered means no code claims it. */
export type CaseResult =
  | { readonly kind: 'passed' }
  | { readonly kind: 'failed'; readonly differences: readonly CaseDifference[] }
  | { readonly kind: 'unanswered'; readonly why: string };

export interface CaseDifference {
  readonly at: string;
  readonly expected: unknown;
  readonly found: unknown;
}

/** The result for a list of differences. */
export function toResult(differences: readonly CaseDifference[]): CaseResult {
  return differences.length === 0 ? { kind: 'passed' } : { kind: 'failed', differences };
}
