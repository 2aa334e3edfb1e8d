import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PROGRAM_STRIKES } from './killed-house';
import type { ProgramScene, ReleasesEnding } from './struck-programs';
import { openProgramScene } from './struck-programs';

/** At which start each is struck; others with another seed. `test:long -- faults --programs` strikes at all. */
const SEED = 11;
const SLOW_MS = 180_000;

describe('an upgrade of two releases whose git, Helm or whole process is struck', { timeout: SLOW_MS }, () => {
  let scene: ProgramScene;
  let calm: ReleasesEnding & { readonly starts: readonly string[] };
  beforeAll(async () => {
    scene = await openProgramScene();
    calm = await scene.upgrade();
  }, SLOW_MS);
  afterAll(() => scene[Symbol.asyncDispose]());

  it('[issue 10.6] stores one revision of each and answers each decision, when nothing strikes', () => {
    expect(calm.releases).toEqual(['ledger', 'books'].map((name) => `pay-${name}: superseded 0, deployed 1, the image of the commit`));
    expect(calm.decisions).toEqual(['Accepted', 'Accepted']);
    for (const program of ['git', 'helm']) expect(calm.starts.filter((line) => line.startsWith(program)).length).toBeGreaterThan(1);
  });

  it.each(PROGRAM_STRIKES.map((how, index) => [how, index] as const))(
    '[issue 10.6] comes to the same releases, working copies and decisions: %s',
    async (how, index) => {
      const { starts: _calm, ...wanted } = calm;
      const at = 1 + ((SEED * (index + 1)) % calm.starts.length);
      const { starts, ...found } = await scene.upgrade({ at, how });
      expect(found, `${how} at ${starts[at - 1]}`).toEqual(wanted);
    },
  );
});
