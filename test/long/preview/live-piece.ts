import { fileURLToPath } from 'node:url';
import type { Tally } from '../../support/preview/preview-runs';
import { emptyTally, livePreviewRun } from '../../support/preview/preview-runs';
import { PreviewWorld } from '../../support/preview/preview-world';
import type { Piece, PieceOutcome } from './tally';

/** One run in so many is of an application that is rolled out in stages, which takes longer. */
const STAGED_OF = 50;
const FIRST_STAGED = 1_000_000;

/** Lives a piece of runs, which share a cluster. */
export async function livePiece({ from, runs }: Piece): Promise<PieceOutcome> {
  const plain = emptyTally();
  const staged = emptyTally();
  const broken = [
    ...(await live({ from, runs }, plain, false)),
    ...(await live({ from: FIRST_STAGED + from, runs: Math.ceil(runs / STAGED_OF) }, staged, true)),
  ];
  return { plain, staged, broken };
}

async function live({ from, runs }: Piece, tally: Tally, isAlive: boolean): Promise<readonly string[]> {
  const broken: string[] = [];
  await using world = await new PreviewWorld({ isAlive }).open();
  for (let seed = from; seed < from + runs; seed++) broken.push(...(await livePreviewRun(world, seed, tally)));
  return broken;
}

// As a process of its own it is told its pieces.
if (process.send !== undefined && process.argv[1] === fileURLToPath(import.meta.url)) {
  process.on('message', (piece: Piece) => {
    void livePiece(piece).then((outcome) => process.send?.(outcome));
  });
}
