/** A mutant that touches a right, a gate, a deletion or a bound, and that no test could tell from the original. */
export interface Equivalent {
  readonly file: string;
  /** The line without its margin, and what becomes of which part of it; more than one line in one. */
  readonly line: string;
  readonly from: string;
  readonly to: string;
  readonly why: string;
}

export const EQUIVALENTS: readonly Equivalent[] = [];
