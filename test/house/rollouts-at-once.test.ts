import { expect, it } from 'vitest';
import { getCondition } from '@/lib/kube/condition';
import { readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import { aStorefront } from '../support/applications';
import type { House } from '../support/house';
import { startHouse } from '../support/house';
import type { NotedWrite } from '../support/noted-writes';
import { notingWrites } from '../support/noted-writes';

const STAGES = 5;
const MANY = 8;
const START = { 'sim.slipway.dev/start': '1s' };

async function areAtRest(house: House, count: number, revision: number): Promise<boolean> {
  const rollouts = await house.list(KINDS.rolloutOrchestrator);
  const isAtRest = (one: (typeof rollouts)[number]) =>
    readString(one, 'spec', 'targetRevisions', 0, 'revisionName') === `${one.metadata.name}-v${revision}` &&
    getCondition(one, 'Ready')?.status === 'True';
  return rollouts.length === count && rollouts.every(isAtRest);
}

/** How long by their own clock so many applications take that are changed at one moment, and what was refused meanwhile. */
async function fly(count: number): Promise<{ readonly ms: number; readonly refused: readonly NotedWrite[] }> {
  const noted: NotedWrite[] = [];
  await using house = await startHouse({ nodes: 10, through: (cluster) => notingWrites(cluster, noted) });
  const shops = (version: number) =>
    Array.from({ length: count }, (_, at) =>
      aStorefront({
        name: `shop-${at}`,
        replicas: 4,
        ratio: 100 / STAGES,
        annotations: START,
        image: `registry.example.com/web:${version}`,
      }),
    );
  for (const shop of shops(1)) await house.apply(shop);
  await house.until('the first revisions are at rest', () => areAtRest(house, count, 1));
  await house.advance(30_000);
  noted.length = 0;
  const startedAt = house.clock.now();
  for (const shop of shops(2)) await house.apply(shop);
  await house.until('the second revisions are at rest', () => areAtRest(house, count, 2));
  return { ms: house.clock.now() - startedAt, refused: noted.filter(({ code }) => code !== 200) };
}

it('[issue 13] rollouts that are in flight together wait for nothing that one alone does not wait for', async () => {
  const alone = await fly(1);
  const together = await fly(MANY);
  expect(together.refused).toEqual([]);
  // Requests take no time here: whatever is longer is a pass that nobody woke.
  expect(together.ms, `alone: ${alone.ms} ms`).toBeLessThanOrEqual(alone.ms + 1000);
});
