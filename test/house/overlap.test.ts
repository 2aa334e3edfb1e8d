import { createRandom } from '@/server/platform';
import type { OverlapRun } from './overlap-house';
import { defineOverlapHouse } from './overlap-house';

const RUNS = 2;
const draw = createRandom(13);

/** Applications of all sizes, whose every pod takes its own time to start and to go. */
const runs = Array.from({ length: 2 * RUNS }, (_, at): OverlapRun => {
  const replicas = 3 + Math.floor(draw() * 12);
  return { replicas, ratio: 10 + Math.floor(draw() * 60), overlap: at % 2 === 0, seed: 100 + at };
});

defineOverlapHouse('embedded', runs);
