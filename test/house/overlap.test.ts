import { expect, it } from 'vitest';
import { readNumber } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import { createRandom } from '@/server/platform';
import { aStorefront } from '../support/applications';
import { startHouse } from '../support/house';
import type { OverlapRun } from './overlap-house';
import { defineOverlapHouse, withOverlap } from './overlap-house';

const RUNS = 2;
const draw = createRandom(13);

/** Applications of all sizes, whose every pod takes its own time to start and to go. */
const runs = Array.from({ length: 2 * RUNS }, (_, at): OverlapRun => {
  const replicas = 3 + Math.floor(draw() * 12);
  return { replicas, ratio: 10 + Math.floor(draw() * 60), overlap: at % 2 === 0, seed: 100 + at };
});

defineOverlapHouse('embedded', runs);

it('[issue 13] without overlap no pods come while nobody has seen yet that the old ones go', async () => {
  await using house = await startHouse();
  const shop = (image: string) => withOverlap(aStorefront({ replicas: 4, ratio: 50, image: `registry.example.com/${image}` }), false);
  const replicasOf = async (name: string) => readNumber(await house.get(KINDS.deployment, name), 'status', 'replicas') ?? 0;
  await house.apply(shop('web:1'));
  await house.until('the first revision is at rest', async () => (await replicasOf('web-v1')) === 4);
  await house.advance(5000);
  await house.apply(shop('web:2'));
  await house.until('the second grows', async () => (await replicasOf('web-v2')) > 0);
  const unseen = [
    house.faults.fail({ verb: 'list', kind: 'Pod' }, 503, { times: Number.POSITIVE_INFINITY }),
    house.faults.refuseWatches({ kind: 'Pod' }),
  ];
  await house.until('old pods go', async () => (await replicasOf('web-v1')) === 2);
  await house.advance(5000);
  expect([await replicasOf('web-v1'), await replicasOf('web-v2')]).toEqual([2, 2]);
  for (const seenAgain of unseen) seenAgain();
  await house.until('it goes on once they are seen', async () => (await replicasOf('web-v1')) === 0 && (await replicasOf('web-v2')) === 4);
});
