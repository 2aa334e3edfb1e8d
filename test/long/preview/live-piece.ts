import { fileURLToPath } from 'node:url';
import { emptyTally, livePreviewRun } from '../../support/preview/preview-runs';
import { PreviewWorld } from '../../support/preview/preview-world';
import type { Piece, PieceOutcome } from './tally';

/** Lives a piece of runs, which share a cluster. */
export async function livePiece({ from, runs, isStaged }: Piece): Promise<PieceOutcome> {
  const tally = emptyTally();
  const broken: string[] = [];
  await using world = await new PreviewWorld({ isAlive: isStaged }).open();
  for (let seed = from; seed < from + runs; seed++) broken.push(...(await livePreviewRun(world, seed, tally)));
  return isStaged ? { plain: emptyTally(), staged: tally, broken } : { plain: tally, staged: emptyTally(), broken };
}

// As a process of its own it is told its pieces.
if (process.send !== undefined && process.argv[1] === fileURLToPath(import.meta.url)) {
  process.on('message', (piece: Piece) => {
    void livePiece(piece).then((outcome) => process.send?.(outcome));
  });
}
