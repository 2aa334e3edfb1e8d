import { describe, expect, it } from 'vitest';
import { playLoops } from '../../support/chart-loops';

const RUNS = 60;

describe('the loops of chart sync', () => {
  it('[issue 12, proof] keep their promises through random commits, edits, outages, approvals and releases by hand', async () => {
    let acts = 0;
    for (let seed = 1; seed <= RUNS; seed++) {
      const run = await playLoops(seed);
      expect(run.broken, `run ${seed}`).toEqual([]);
      acts += run.acts;
    }
    expect(acts).toBeGreaterThan(RUNS * 20); // a life in which nothing is done proves nothing
  });
});
