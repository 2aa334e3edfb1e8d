import type { Tally } from '../../support/preview/preview-runs';
import { emptyTally } from '../../support/preview/preview-runs';

/** So many runs from one seed on. */
export interface Piece {
  readonly from: number;
  readonly runs: number;
  /** Of applications that are rolled out in stages, which takes longer. */
  readonly isStaged: boolean;
}

/** What a piece came to: applications applied in one step, and some in stages. */
export interface PieceOutcome {
  readonly plain: Tally;
  readonly staged: Tally;
  /** Sentences about what was otherwise than previewed. */
  readonly broken: readonly string[];
}

/** Two tallies as one. */
export function addTallies(left: Tally, right: Tally): Tally {
  const sum = { ...emptyTally(), met: { ...left.met } };
  for (const [what, count] of Object.entries(right.met)) sum.met[what] = (sum.met[what] ?? 0) + count;
  for (const what of COUNTS) sum[what] = left[what] + right[what];
  return sum;
}

const COUNTS = [
  'runs',
  'changes',
  'executed',
  'moved',
  'conflicts',
  'refused',
  'objects',
  'deleted',
  'masked',
] as const satisfies readonly (keyof Tally)[];
