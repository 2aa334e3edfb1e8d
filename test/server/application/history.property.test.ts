import fc from 'fast-check';
import { expect, it } from 'vitest';
import { histories } from './histories';
import { Life } from './history';

const RUNS = Number(process.env.HISTORY_RUNS ?? 40);

it('[dispatch 13] whatever happens, no listed object is deleted, nothing listed is forgotten, and a repeated run writes nothing', async () => {
  await fc.assert(
    fc.asyncProperty(histories, async (history) => {
      await using life = await new Life().start();
      for (const turn of history) await life.live(turn);
      expect(life.broken).toEqual([]);
      expect(await life.needlessWrites()).toEqual([]);
    }),
    { numRuns: RUNS },
  );
}, 7_200_000);
